"""Strength: what remains of an importance now. It decays with time, grows with use and evidence, and has a floor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks

if TYPE_CHECKING:
    from datetime import datetime

    from mnemic.model.change import Use
    from mnemic.model.memory import Memory

STRONGEST = 10.0
_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """How fast memories fade: half of what can fade is gone after `half_life` days; the share `floor` stays.

    Each doubling of how often a memory was told or used adds a half-life, and `growth` to its importance.
    """

    half_life: float = 90.0
    floor: float = 0.3
    growth: float = 0.5

    def __post_init__(self) -> None:
        """Check every field."""
        number("half_life", self.half_life, least=1e-6, most=1e6)
        number("floor", self.floor, least=0.0, most=1.0)
        number("growth", self.growth, least=0.0, most=STRONGEST)


def strength(memory: Memory, *, now: datetime, use: Use | None = None, decay: Decay | None = None) -> float:
    """Return the strength of a memory, from 0 to 10: its importance when it was just told or used, then less."""
    decay = decay or Decay()
    doublings = math.log2(memory.evidence + (use.count if use else 0))
    touched_at = max(memory.created_at, use.last_at) if use else memory.created_at
    age = max(0.0, (now - touched_at).total_seconds() / _DAY)
    importance = min(STRONGEST, memory.importance + decay.growth * doublings)
    remaining = 0.5 ** (age / (decay.half_life * (1 + doublings)))
    left: float = importance * (decay.floor + (1 - decay.floor) * remaining)
    return left


def number(field: str, value: object, *, least: float, most: float) -> float:
    """Return `value` as a number within bounds; NaN is in none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise InvalidInput(field, f"must be a number from {least:g} to {most:g}, not {checks.shown(value)}")
    return float(value)
