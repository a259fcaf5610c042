"""When a thing told again is the same thing."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.model.memory import Memory


def digest(memory: Memory) -> bytes:
    """Return what two memories share when one is a repeat of the other: scope, tier, text and time."""
    scope = memory.scope
    told = (scope.agent, scope.user, scope.session, memory.tier, memory.text, memory.occurred_at)
    return blake2b(repr(told).encode(), digest_size=16).digest()


def is_current(memory: Memory, now: datetime) -> bool:
    """Tell whether a memory has not ended."""
    end = memory.ended_at()
    return end is None or end > now


def told_the_same(one: Memory, other: Memory) -> bool:
    """Tell whether two memories were made from the same words and fields."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in (
            "text",
            "scope",
            "tier",
            "category",
            "importance",
            "tags",
            "metadata",
            "source",
            "occurred_at",
            "expires_at",
        )
    )
