"""A memory, and the one list of its fields."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, get_args

from mnemic.model.scope import KEYS, Scope
from mnemic.model.time import start_of

if TYPE_CHECKING:
    from datetime import datetime

    from mnemic.model.checks import Json
    from mnemic.model.time import When

Tier = Literal["short_term", "working", "long_term", "episodic"]
TIERS: tuple[str, ...] = get_args(Tier)
DEFAULT_IMPORTANCE = 5.0
ENDED_BECAUSE = "ended_because"
"""The metadata key for the reason why a memory was ended early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered thing and whose it is."""

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

    @property
    def began_at(self) -> datetime:
        """The time when the memory became true: when it happened, else when it was stored."""
        return self.created_at if self.occurred_at is None else start_of(self.occurred_at)

    def is_superseded(self, moment: datetime) -> bool:
        """Return whether a newer memory had closed this one by a moment; if closed before it began, always."""
        if self.superseded_at is None:
            return False
        return start_of(self.superseded_at) <= max(moment, self.began_at)

    def is_expired(self, moment: datetime) -> bool:
        """Return whether this had expired by a moment."""
        return self.expires_at is not None and self.expires_at <= moment

    def to_dict(self) -> dict[str, Json]:
        """Return the memory as JSON-able values, scope keys flat, times in ISO 8601."""
        return dict(zip(FIELDS, map(_as_json, values_of(self)), strict=True))


FIELDS: tuple[str, ...] = tuple(
    name for f in dataclasses.fields(Memory) for name in (KEYS if f.name == "scope" else (f.name,))
)
"""Every field of a memory, in order, with the keys of its scope in place of the scope."""

values_of = attrgetter(*(f"scope.{name}" if name in KEYS else name for name in FIELDS))
"""Returns the values of a memory's `FIELDS`, in that order."""

FIELD_TYPES: dict[str, str] = {
    **dict.fromkeys(KEYS, "str | None"),
    **{f.name: str(f.type) for f in dataclasses.fields(Memory) if f.name != "scope"},
}
"""The type of each field, as it is written in the class."""


def _as_json(value: Any) -> Json:  # noqa: ANN401
    if isinstance(value, tuple):
        return list(value)
    return value.isoformat() if isinstance(value, date) else value


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory that a draft was stored as, and whether it is new."""

    memory: Memory
    created: bool
