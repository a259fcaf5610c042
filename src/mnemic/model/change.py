"""Changes, links and uses of memories, and the record that carries them to another mind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from mnemic.model.checks import Json
    from mnemic.model.memory import Memory

ChangeKind = Literal[
    "created",
    "repeated",
    "revised",
    "superseded",
    "unsuperseded",
    "linked",
    "unlinked",
    "forgotten",
    "purged",
]


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one memory: the fields that changed, before and after."""

    seq: int
    memory_id: str
    kind: ChangeKind
    at: datetime
    before: dict[str, Json]
    after: dict[str, Json]

    def to_dict(self) -> dict[str, Json]:
        """Return the change as JSON-able values."""
        return {
            "seq": self.seq,
            "memory_id": self.memory_id,
            "kind": self.kind,
            "at": self.at.isoformat(),
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True)
class Link:
    """A relation from one memory to another."""

    from_id: str
    to_id: str
    relation: str
    created_at: datetime

    def to_dict(self) -> dict[str, Json]:
        """Return the link as JSON-able values."""
        return {
            "from_id": self.from_id,
            "to_id": self.to_id,
            "relation": self.relation,
            "created_at": self.created_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Use:
    """The number of uses of a memory, and the time of the last."""

    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """A memory with its history and its outgoing links, for another mind to adopt."""

    memory: Memory
    history: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()
