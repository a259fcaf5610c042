"""The chance that a recalled memory is relevant, fitted on real questions by training/calibration.py."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONE_BIAS, LONE_COSINE, LONE_SHARE, LONE_MESSAGE = -5.56, 4.14, 3.10, 0.47
BIAS, COSINE, SHARE, BESIDE, SPOKEN, MESSAGE = -5.14, 2.16, 2.81, 4.25, 1.64, 0.69
"""Written by training/calibration.py, as is the cut."""
RERANKED_BIAS, RERANKED_PLAIN, RERANKED_FIRST, RERANKED_VERDICT, RERANKED_LONG = -1.32, 0.53, 0.60, 0.23, 0.63
"""Written by it too, but for the weight of the first score: that has a best one even where nothing answers."""
CUT = 0.0137
"""The default `min_score`."""
RERANKED_CUT = 0.0045
"""The default `min_score` of what a reranker has read."""

POOR = 0.0128
"""Under this score on average, the ten best turns are no answer. Written by it as well."""
NOTHING = math.inf
"""The cut that keeps nothing."""

_SURE = 1e-5
_SHORT = 400


def rarity(total: int, count: int) -> float:
    """Return how much a word tells that a number of memories hold, out of a total."""
    return math.log(1 + (total + 1) / (count + 1))


def chance(told: tuple[float, float, float | None, bool], *, goes_on: bool = False) -> float:
    """Return the chance of relevance from what `hits.features` tells.

    Of a memory outside of sessions, nothing is known but itself. What a message that goes on with a conversation finds
    is relevant more often than what a lone question finds.
    """
    cosine, share, beside, spoken = told
    if beside is None:
        return sigmoid(LONE_BIAS + LONE_COSINE * cosine + LONE_SHARE * share + LONE_MESSAGE * goes_on)
    context = BESIDE * beside + SPOKEN * spoken
    return sigmoid(BIAS + COSINE * cosine + SHARE * share + context + MESSAGE * goes_on)


def prior(plain: float, first: float, length: int) -> float:
    """Return the odds that a text of some length is relevant, before a reranker says what it thinks of it.

    `plain` is its chance, `first` its score in the first ranking, which knows of times, speakers and standing wishes. A
    long text touches on everything, and a reranker likes it for that.
    """
    known = RERANKED_PLAIN * odds(plain) + RERANKED_FIRST * first
    return RERANKED_BIAS + known - RERANKED_LONG * excess(length)


def excess(length: int) -> float:
    """Return the logarithm of how many times as long as a short text one is."""
    return math.log(max(length, _SHORT) / _SHORT)


def reranked(prior: float, verdict: float) -> float:
    """Return the chance of relevance after a reranker has given its verdict."""
    return sigmoid(prior + RERANKED_VERDICT * odds(verdict))


def odds(chance: float) -> float:
    """Return the logarithm of the odds, of a chance that is not quite sure either way."""
    sure = min(max(chance, _SURE), 1 - _SURE)
    return math.log(sure / (1 - sure))


def sigmoid(odds: float) -> float:
    """Return the chance that has these odds."""
    return (1 + math.tanh(odds / 2)) / 2


def is_poor(chances: Sequence[float]) -> bool:
    """Tell whether the best turns that a question found are, taken together, no answer."""
    return sum(chances) < POOR * len(chances)


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
