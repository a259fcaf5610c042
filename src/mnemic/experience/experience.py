"""One experience, and one that recall returned."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from mnemic.experience.routes import Place
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.model.time import start_of

if TYPE_CHECKING:
    from mnemic.model.checks import Json
    from mnemic.model.time import When

SOURCE = "experience"
_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """What happened, how it went, and its file in the tree."""

    content: str
    place: Place
    summary: str
    occurred_at: When
    metadata: dict[str, Json] = field(default_factory=dict, hash=False)
    memory_id: str
    path: str

    @property
    def outcome(self) -> str:
        """How it went."""
        return self.place.outcome

    @property
    def tool(self) -> str | None:
        """The tool, if the outcome has one."""
        return self.place.tool

    @property
    def began_at(self) -> datetime:
        """When it happened: the start of the day if only the day is known."""
        return start_of(self.occurred_at)

    def route(self) -> dict[str, str]:
        """Return outcome, tool and key by name, without those it lacks."""
        place = self.place
        fields = {"outcome": place.outcome, "tool": place.tool, place.key: place.value}
        return {name: value for name, value in fields.items() if name is not None and value is not None}

    def front_matter(self) -> dict[str, Json]:
        """Return the fields above the content in its file."""
        when = {"occurred_at": self.occurred_at.isoformat()}
        return {**self.route(), "summary": self.summary, **when, **self.metadata, "memory_id": self.memory_id}

    def to_dict(self) -> dict[str, Json]:
        """Return the experience as JSON-able values."""
        return {
            "path": self.path,
            "content": self.content,
            **self.route(),
            "summary": self.summary,
            "occurred_at": self.occurred_at.isoformat(),
            "metadata": self.metadata,
            "memory_id": self.memory_id,
        }

    def memory(self) -> Memory:
        """Return the memory by which a mind finds it."""
        place = self.place
        fields = {"folder": place.folder, "tool": place.tool, "key": place.key, "value": place.value}
        metadata: dict[str, Any] = {
            "path": self.path,
            "summary": self.summary,
            **{name: value for name, value in fields.items() if value is not None},
            "given": self.metadata,
        }
        return Memory(
            id=self.memory_id,
            text=self.content,
            scope=Scope(),
            category=place.outcome,
            metadata=metadata,
            source=SOURCE,
            created_at=made_at(self.memory_id, default=self.began_at),
            occurred_at=self.occurred_at,
        )

    @classmethod
    def from_memory(cls, memory: Memory) -> Experience:
        """Build the experience from what `memory` returned."""
        metadata: dict[str, Any] = memory.metadata
        return cls(
            content=memory.text,
            place=Place(str(memory.category), metadata.get("tool"), metadata.get("key"), metadata.get("value")),
            summary=metadata["summary"],
            occurred_at=memory.occurred_at or memory.created_at,
            metadata=metadata["given"],
            memory_id=memory.id,
            path=metadata["path"],
        )


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recalled experience; without a query it has neither score nor reasons."""

    experience: Experience
    score: float | None = None
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Json]:
        """Return it as JSON-able values."""
        score = None if self.score is None else round(self.score, 4)
        return {"score": score, "reasons": list(self.reasons), "experience": self.experience.to_dict()}


def made_at(memory_id: str, *, default: datetime) -> datetime:
    """Return the time in a UUIDv7, or the default for another id."""
    id = UUID(memory_id)
    try:
        return datetime.fromtimestamp((id.int >> 80) / 1000, UTC) if id.version == 7 else default
    except (ValueError, OverflowError):  # an id written by hand can hold any year
        return default


def id_of_path(path: str) -> str:
    """Return the id of an experience whose file has none."""
    return str(uuid5(NAMESPACE_URL, f"mnemic:experience:{path}"))


def day_in_name(name: str) -> str | None:
    """Return the day that a file's name starts with."""
    match = _DATED.match(name)
    return match[1] if match else None
