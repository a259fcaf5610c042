"""The chance that a recalled memory is relevant, fitted on real questions by tools/calibration.py."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FEATURES = ("cosine", "share", "nearness", "best_cosine", "best_share", "words")
WEIGHTS = (5.0, 2.0, 3.0, 0.0, 0.0, 0.0)
BIAS = -6.0
CUT = 0.05
"""The default `min_score`."""


def rarity(total: int, count: int) -> float:
    """Return how much a word tells that a number of memories hold, out of a total."""
    return math.log(1 + (total + 1) / (count + 1))


def share(held: Iterable[str], rarities: Mapping[str, float]) -> float:
    """Return the part of a question's words, weighted by rarity, that is held."""
    whole = sum(rarities.values())
    return sum(rarities[term] for term in held) / whole if whole else 0.0


def chance(features: Sequence[float]) -> float:
    """Return the chance of relevance that the features of one candidate speak for."""
    sum_ = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum_))))


def falling(chances: Sequence[float]) -> list[float]:
    """Return the chances that never rise down the ranking and are nearest to the given ones."""
    pools: list[tuple[float, int]] = []
    for value in chances:
        count = 1
        while pools and pools[-1][0] < value:
            above, many = pools.pop()
            value = (above * many + value * count) / (many + count)
            count += many
        pools.append((value, count))
    return [value for value, count in pools for _ in range(count)]
