"""The chance that a recalled memory is relevant, fitted on real questions by tools/calibration.py."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONE_BIAS, LONE_COSINE, LONE_SHARE, LONE_MESSAGE = -5.62, 4.05, 3.10, 0.41
BIAS, COSINE, SHARE, BESIDE, SPOKEN, MESSAGE = -5.32, 2.37, 2.90, 4.23, 1.58, 0.76
"""Written by tools/calibration.py, as is the cut."""
RERANKED_BIAS, RERANKED_COSINE, RERANKED_SHARE, RERANKED_VERDICT = -6.70, 6.62, 0.80, 1.05
"""Fitted on 70 questions of BEAM with the ms-marco cross-encoder; the weight of the share was given."""
CUT = 0.0123
"""The default `min_score`."""

_STEEPEST = 30.0
_YES = 0.5


def rarity(total: int, count: int) -> float:
    """Return how much a word tells that a number of memories hold, out of a total."""
    return math.log(1 + (total + 1) / (count + 1))


def chance(
    told: tuple[float, float, float | None, bool], verdict: float | None = None, *, goes_on: bool = False
) -> float:
    """Return the chance of relevance from what `hits.features` tells, and a reranker's verdict if any.

    Of a memory outside of sessions, nothing is known but itself. What a message that goes on with a conversation finds
    is relevant more often than what a lone question finds. A reranker that says yes never lowers the chance.
    """
    cosine, share, beside, spoken = told
    if beside is None:
        plain = _sigmoid(LONE_BIAS + LONE_COSINE * cosine + LONE_SHARE * share + LONE_MESSAGE * goes_on)
    else:
        context = BESIDE * beside + SPOKEN * spoken
        plain = _sigmoid(BIAS + COSINE * cosine + SHARE * share + context + MESSAGE * goes_on)
    if verdict is None:
        return plain
    reranked = _sigmoid(RERANKED_BIAS + RERANKED_COSINE * cosine + RERANKED_SHARE * share + RERANKED_VERDICT * verdict)
    return max(plain, reranked) if verdict > _YES else reranked


def _sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-_STEEPEST, min(_STEEPEST, odds))))


def falling(chances: Sequence[float]) -> list[float]:
    """Return the chances that never rise down the ranking and are nearest to the given ones."""
    pools: list[tuple[float, int]] = []
    for chance_ in chances:
        value, count = chance_, 1
        while pools and pools[-1][0] < value:
            above, many = pools.pop()
            value = (above * many + value * count) / (many + count)
            count += many
        pools.append((value, count))
    return [value for value, count in pools for _ in range(count)]
