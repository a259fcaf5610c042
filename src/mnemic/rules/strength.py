"""Strength: the current importance of a memory. It decays with time and grows with use and evidence."""

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
    """The parameters of decay: a half-life in days, and the share of the importance that never decays.

    Each doubling of evidence and uses adds one half-life, and `growth` to the importance.
    """

    half_life: float = 90.0
    floor: float = 0.3
    growth: float = 0.5

    def __post_init__(self) -> None:
        """Check every field."""
        number("half_life", self.half_life, minimum=1e-6, maximum=1e6)
        number("floor", self.floor, minimum=0.0, maximum=1.0)
        number("growth", self.growth, minimum=0.0, maximum=STRONGEST)


def strength(memory: Memory, *, now: datetime, use: Use | None = None, decay: Decay | None = None) -> float:
    """Return the strength of a memory from 0 to 10: its importance when just stored or used, later less."""
    decay = decay or Decay()
    doublings = math.log2(memory.evidence + (use.count if use else 0))
    last_used_at = max(memory.created_at, use.last_at) if use else memory.created_at
    age = max(0.0, (now - last_used_at).total_seconds() / _DAY)
    importance = min(STRONGEST, memory.importance + decay.growth * doublings)
    remaining = 0.5 ** (age / (decay.half_life * (1 + doublings)))
    current: float = importance * (decay.floor + (1 - decay.floor) * remaining)
    return current


def number(field: str, value: object, *, minimum: float, maximum: float) -> float:
    """Return `value` as a number within bounds; NaN is refused."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not minimum <= value <= maximum:
        raise InvalidInput(field, f"must be a number from {minimum:g} to {maximum:g}, not {checks.shown(value)}")
    return float(value)
