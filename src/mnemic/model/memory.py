"""A memory, the draft it is made from, and what happens to it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any, Literal, get_args

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.scope import UNSET, Name, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mnemic.model.checks import Json, When

Tier = Literal["short_term", "working", "long_term", "episodic"]
TIERS: tuple[str, ...] = get_args(Tier)
DEFAULT_IMPORTANCE = 5.0
ENDED_BECAUSE = "ended_because"
"""Where the metadata of a memory that was ended early says why."""
_keep = object.__setattr__


def checked_tier(value: object) -> Tier:
    """Return `value` as a tier."""
    if not isinstance(value, str) or value not in TIERS:
        raise InvalidInput("tier", f"must be one of {', '.join(TIERS)}, not {checks.shown(value)}")
    return value  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Hold one thing that is remembered."""

    id: str
    text: str
    scope: Scope
    tier: Tier = "long_term"
    category: str | None = None
    importance: float = DEFAULT_IMPORTANCE
    tags: tuple[str, ...] = ()
    metadata: dict[str, Json] = field(default_factory=dict, hash=False)
    source: str | None = None
    created_at: datetime
    occurred_at: When | None = None
    expires_at: datetime | None = None
    superseded_by: str | None = None
    superseded_at: When | None = None
    evidence: int = 1
    revision: int = 1

    @staticmethod
    def of(
        id: str,
        text: str,
        scope: Scope,
        tier: Tier,
        category: str | None,
        importance: float,
        tags: tuple[str, ...],
        metadata: dict[str, Json],
        source: str | None,
        created_at: datetime,
        occurred_at: When | None,
        expires_at: datetime | None,
        superseded_by: str | None = None,
        superseded_at: When | None = None,
        evidence: int = 1,
        revision: int = 1,
    ) -> Memory:
        """Build a memory as the constructor does, several times as fast."""
        memory: Any = object.__new__(_Unguarded)
        memory.id = id
        memory.text = text
        memory.scope = scope
        memory.tier = tier
        memory.category = category
        memory.importance = importance
        memory.tags = tags
        memory.metadata = metadata
        memory.source = source
        memory.created_at = created_at
        memory.occurred_at = occurred_at
        memory.expires_at = expires_at
        memory.superseded_by = superseded_by
        memory.superseded_at = superseded_at
        memory.evidence = evidence
        memory.revision = revision
        memory.__class__ = Memory
        return memory  # type: ignore[no-any-return]

    @property
    def began_at(self) -> datetime:
        """Tell since when this holds: when it happened, else when it was stored."""
        return self.created_at if self.occurred_at is None else start_of(self.occurred_at)

    def is_superseded(self, moment: datetime) -> bool:
        """Tell whether a newer memory had closed this one; one closed before it began never held."""
        if self.superseded_at is None:
            return False
        return start_of(self.superseded_at) <= max(moment, self.began_at)

    def is_expired(self, moment: datetime) -> bool:
        """Tell whether this had run out."""
        return self.expires_at is not None and self.expires_at <= moment

    def to_dict(self) -> dict[str, Json]:
        """Return the memory as JSON-able values, scope keys flat, times in ISO 8601."""
        return {
            "id": self.id,
            "text": self.text,
            "agent": self.scope.agent,
            "user": self.scope.user,
            "session": self.scope.session,
            "tier": self.tier,
            "category": self.category,
            "importance": self.importance,
            "tags": list(self.tags),
            "metadata": self.metadata,
            "source": self.source,
            "created_at": self.created_at.isoformat(),
            "occurred_at": self.occurred_at.isoformat() if self.occurred_at else None,
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
            "superseded_by": self.superseded_by,
            "superseded_at": self.superseded_at.isoformat() if self.superseded_at else None,
            "evidence": self.evidence,
            "revision": self.revision,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Memory:
        """Build a memory from what `to_dict` returned, checking every field."""
        checks.fields("a memory", given, MEMORY_FIELDS)
        for key in ("id", "text", "created_at"):
            if given.get(key) is None:
                raise InvalidInput(key, "is missing")
        draft = Draft(**{key: value for key, value in given.items() if key in DRAFT_FIELDS and value is not None})
        closed_at, closed_by = given.get("superseded_at"), given.get("superseded_by")
        return dataclasses.replace(
            draft.memory(id=str(draft.id), created_at=checks.instant("created_at", given["created_at"])),
            superseded_by=None if closed_by is None else checks.identifier("superseded_by", closed_by),
            superseded_at=None if closed_at is None else checks.when("superseded_at", closed_at),
            evidence=checks.whole("evidence", given.get("evidence", 1), least=1, most=2**53),
            revision=checks.whole("revision", given.get("revision", 1), least=1, most=2**53),
        )


class _Unguarded(Memory):
    """Hold a memory that is being built: its fields can be set until it becomes a plain memory."""

    __slots__ = ()
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Hold what is to be remembered, checked when it is made."""

    text: str
    agent: Name = UNSET
    user: Name = UNSET
    session: Name = UNSET
    tier: Tier = "long_term"
    category: str | None = None
    importance: float | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Json] | None = None
    source: str | None = None
    occurred_at: When | str | None = None
    expires_at: datetime | str | None = None
    id: str | None = None
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        """Check every field and keep its clean value."""
        checks.text("text", self.text)
        checked_tier(self.tier)
        _keep(self, "scope", Scope.of(agent=self.agent, user=self.user, session=self.session))
        _keep(self, "tags", checks.tags(self.tags))
        _keep(self, "metadata", checks.metadata(self.metadata))
        if self.category is not None:
            checks.name("category", self.category)
        if self.source is not None:
            checks.name("source", self.source)
        if self.importance is not None:
            _keep(self, "importance", checks.importance(self.importance))
        if self.occurred_at is not None:
            _keep(self, "occurred_at", checks.when("occurred_at", self.occurred_at))
        if self.expires_at is not None:
            _keep(self, "expires_at", checks.instant("expires_at", self.expires_at))
        if self.id is not None:
            _keep(self, "id", checks.identifier("id", self.id))

    def memory(self, *, id: str, created_at: datetime) -> Memory:
        """Return the memory this draft describes."""
        return Memory.of(
            id=id,
            text=self.text,
            scope=self.scope,
            tier=self.tier,
            category=self.category,
            importance=DEFAULT_IMPORTANCE if self.importance is None else self.importance,
            tags=self.tags,  # type: ignore[arg-type]
            metadata=self.metadata,  # type: ignore[arg-type]
            source=self.source,
            created_at=created_at,
            occurred_at=self.occurred_at,  # type: ignore[arg-type]
            expires_at=self.expires_at,  # type: ignore[arg-type]
        )


MEMORY_FIELDS = frozenset(f.name for f in dataclasses.fields(Memory) if f.name != "scope") | {
    "agent",
    "user",
    "session",
}
DRAFT_FIELDS = frozenset(f.name for f in dataclasses.fields(Draft) if f.init)
REVISABLE = DRAFT_FIELDS - {"id", "agent", "user", "session"}


@dataclass(frozen=True, slots=True)
class Remembered:
    """Tell which memory now holds a draft, and whether it is new."""

    memory: Memory
    created: bool


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
    """Hold one change of one memory: the fields that changed, before and after."""

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
    """Hold a relation from one memory to another."""

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
    """Hold how often a memory was used, and when last."""

    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """Hold a memory with its changes since it was created and the links that start from it, as it travels."""

    memory: Memory
    history: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()


def start_of(when: When) -> datetime:
    """Return the first instant of a day, or the instant itself."""
    if isinstance(when, datetime):
        return when
    return datetime.combine(when, time.min, UTC)


def end_of(when: When) -> datetime:
    """Return the last instant of a day, or the instant itself."""
    if isinstance(when, datetime):
        return when
    return datetime.combine(when, time.max, UTC)


def as_when(text: str) -> When:
    """Read back a time that was written in ISO 8601."""
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
