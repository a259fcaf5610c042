"""A draft of a memory, checked field by field."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.memory import DEFAULT_IMPORTANCE, FIELDS, TIERS, Memory, Tier
from mnemic.model.scope import KEYS, UNSET, Name, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from mnemic.model.checks import Json
    from mnemic.model.time import When

_RANDOM_BITS = 0x0FFF_3FFF_FFFF_FFFF_FFFF
_VERSION_AND_VARIANT = 0x7000_8000_0000_0000_0000
"""The random and the fixed bits among the last 80 bits of a UUIDv7."""
_set = object.__setattr__


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The fields of a memory to be stored, checked when the draft is made."""

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
        _set(self, "scope", Scope.of(agent=self.agent, user=self.user, session=self.session))
        _set(self, "tags", checks.tags(self.tags))
        _set(self, "metadata", checks.metadata(self.metadata))
        if self.category is not None:
            checks.name("category", self.category)
        if self.source is not None:
            checks.name("source", self.source)
        if self.importance is not None:
            _set(self, "importance", checks.importance(self.importance))
        if self.occurred_at is not None:
            _set(self, "occurred_at", checks.when("occurred_at", self.occurred_at))
        if self.expires_at is not None:
            _set(self, "expires_at", checks.instant("expires_at", self.expires_at))
        if self.id is not None:
            _set(self, "id", checks.identifier("id", self.id))

    def memory(self, *, created_at: datetime) -> Memory:
        """Return the memory this draft describes, with a new id unless the draft has one."""
        fields = {name: getattr(self, name) for name in _SHARED}
        fields["id"] = self.id or new_id(created_at)
        if self.importance is None:
            fields["importance"] = DEFAULT_IMPORTANCE
        return Memory(**fields, created_at=created_at)


_SHARED = tuple(f.name for f in dataclasses.fields(Memory) if f.name in Draft.__slots__)
DRAFT_FIELDS = frozenset(f.name for f in dataclasses.fields(Draft) if f.init)
"""The fields that `remember` accepts."""
REVISABLE = DRAFT_FIELDS - {"id", *KEYS}
"""The fields that `revise` may change."""


def checked_tier(value: object) -> Tier:
    """Return `value` as a tier."""
    if not isinstance(value, str) or value not in TIERS:
        raise InvalidInput("tier", f"must be one of {', '.join(TIERS)}, not {checks.shown(value)}")
    return value  # type: ignore[return-value]


def memory_from_dict(values: Mapping[str, Any]) -> Memory:
    """Build a memory from the result of `Memory.to_dict`, checking every field."""
    checks.fields("a memory", values, frozenset(FIELDS))
    for key in ("id", "text", "created_at"):
        if values.get(key) is None:
            raise InvalidInput(key, "is missing")
    draft = Draft(**{key: value for key, value in values.items() if key in DRAFT_FIELDS and value is not None})
    closed_at, closed_by = values.get("superseded_at"), values.get("superseded_by")
    return dataclasses.replace(
        draft.memory(created_at=checks.instant("created_at", values["created_at"])),
        superseded_by=None if closed_by is None else checks.identifier("superseded_by", closed_by),
        superseded_at=None if closed_at is None else checks.when("superseded_at", closed_at),
        evidence=checks.integer("evidence", values.get("evidence", 1), minimum=1, maximum=2**53),
        revision=checks.integer("revision", values.get("revision", 1), minimum=1, maximum=2**53),
    )


def new_id(now: datetime) -> str:
    """Return a UUIDv7: the milliseconds of `now`, then random bits."""
    milliseconds = max(0, int(now.timestamp() * 1000))
    random_bits = int.from_bytes(os.urandom(10)) & _RANDOM_BITS
    digits = f"{milliseconds << 80 | random_bits | _VERSION_AND_VARIANT:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
