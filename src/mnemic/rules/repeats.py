"""Repeats: when a memory is stored twice."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from mnemic.model.draft import DRAFT_FIELDS
from mnemic.rules.history import difference

if TYPE_CHECKING:
    from mnemic.model.memory import Memory


def digest_of(memory: Memory) -> bytes:
    """Return a digest of scope, tier, text and time; memories with the same digest are repeats of each other."""
    scope = memory.scope
    when = "" if memory.occurred_at is None else memory.occurred_at.isoformat()
    identity = (scope.agent or "", scope.user or "", scope.session or "", memory.tier, when, memory.text)
    return blake2b("\0".join(identity).encode(), digest_size=16).digest()


def has_same_draft(first: Memory, second: Memory) -> bool:
    """Return whether two memories agree in every field of a draft except the id."""
    changed, _ = difference(first, second)
    return changed.keys().isdisjoint(DRAFT_FIELDS - {"id"})
