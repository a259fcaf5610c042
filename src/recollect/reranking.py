"""A second opinion on the best candidates, within a budget of time."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.ports import Reranker
    from recollect.rules.rank import Evidence

RERANKED = 40
"""How many candidates the reranker reads at most."""
SECONDS = 1.0
_BATCH = 4
_PLACE = 0.2
"""What a place in the first ranking is worth against the reranker's odds: its word is weighed, not taken."""
_READ = 1_000
"""How many characters of a text are read: a longer one would spend the time of many."""


def judged(
    reranker: Reranker, query: str, ranked: Sequence[Evidence], seconds: float = SECONDS
) -> tuple[list[Evidence], list[float]]:
    """Return the candidates with those that were read first, best first, and what the reranker said of these.

    It reads batch by batch until the time is spent; the rest keep their places behind.
    """
    verdicts: list[float] = []
    end = time.monotonic() + seconds
    while len(verdicts) < min(len(ranked), RERANKED) and (not verdicts or time.monotonic() < end):
        batch = ranked[len(verdicts) : len(verdicts) + _BATCH]
        verdicts += reranker.score(query, [one.memory.text[:_READ] for one in batch])
    order = sorted(range(len(verdicts)), key=lambda place: _PLACE * place - _odds(verdicts[place]))
    return [ranked[place] for place in order] + list(ranked[len(verdicts) :]), [verdicts[place] for place in order]


def _odds(verdict: float) -> float:
    sure = min(max(verdict, 1e-6), 1 - 1e-6)
    return math.log(sure / (1 - sure))
