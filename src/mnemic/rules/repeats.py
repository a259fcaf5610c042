"""When a thing told again is the same thing."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from mnemic.model.draft import DRAFT_FIELDS
from mnemic.rules.history import difference

if TYPE_CHECKING:
    from mnemic.model.memory import Memory


def digest_of(memory: Memory) -> bytes:
    """Return what two memories share when one is a repeat of the other: scope, tier, text and time."""
    scope = memory.scope
    when = "" if memory.occurred_at is None else memory.occurred_at.isoformat()
    told = (scope.agent or "", scope.user or "", scope.session or "", memory.tier, when, memory.text)
    return blake2b("\0".join(told).encode(), digest_size=16).digest()


def told_the_same(one: Memory, other: Memory) -> bool:
    """Tell whether two memories were made from the same words and fields."""
    changed, _ = difference(one, other)
    return changed.keys().isdisjoint(DRAFT_FIELDS - {"id"})
