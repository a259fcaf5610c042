"""What sessions say for their turns: how much of each answers, what is like it, and what came later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from recollect.model.turns import Turns

    Numbers = NDArray[np.float64]

SESSION = 0.3
"""What the evidence of its session adds to a turn."""
ALIKE = 5.0
"""What a turn gains for a message when its session and all those like it answer best: together they are one matter."""
RECENT = 0.6
"""What a turn loses for a message when e - 1 later sessions answer as well as the best one does."""
CURT = 0.3
"""What a turn loses that is e times as short as one that tells something: it agrees, thanks or laughs."""

_TURNS = 3
_NEAREST = 11
"""How many sessions are taken for one matter, the session itself among them."""
_CLEAR = 3
"""How much faster than its evidence the say of a session in what is recent falls."""
_TELLING = 14
"""The number of terms from which a turn tells something."""
_SMALL = 2**18
"""The largest product of matrices that BLAS does not wake every core for."""
EXACT = 0.9
"""The fused score from which a memory is an exact answer, wherever it stands."""


def lift(own: Mapping[int, float], turns: Turns, *, goes_on: bool) -> tuple[dict[int, float], frozenset[int]]:
    """Return what its session adds to each candidate, less what it loses by saying next to nothing.

    Also return the candidates that no later session outdoes.
    `goes_on` tells that the question is a message of a running conversation: it is about what was said on its matter in
    many sessions, lately above all, where a lone question is about one fact.
    """
    import numpy as np

    scores = np.array([own[number] for number in turns.numbers.tolist()])
    _, place = np.unique(np.where(turns.sessions, turns.sessions, turns.numbers), return_inverse=True)
    evidence = _evidence(scores, turns, place)
    numbers, lifts, recent = turns.numbers.tolist(), SESSION * evidence, frozenset[int]()
    if goes_on:
        share = evidence / (evidence.max() or 1.0)
        later = _later(share**_CLEAR, turns, place)
        lifts += ALIKE * _alike(share, turns, place) - RECENT * np.log1p(later)
        recent = frozenset(turns.numbers[(later < 1)[place]].tolist())
    curt = CURT * np.log(_TELLING / np.clip(turns.lengths, 1, _TELLING)) * (turns.sessions != 0)
    lifted = np.where(scores < EXACT, lifts[place] - curt, lifts.max())
    return dict(zip(numbers, lifted.tolist(), strict=True)), recent


def _evidence(scores: Numbers, turns: Turns, place: NDArray[np.intp]) -> Numbers:
    """Return how much each session answers: the mean of its best turns, missing ones counting as nothing.

    A memory outside of sessions stands for itself.
    """
    import numpy as np

    order = np.lexsort((-scores, place))
    first = np.searchsorted(place[order], np.arange(place.max() + 1))
    best = order[np.arange(len(order)) - first[place[order]] < _TURNS]
    evidence = np.zeros(place.max() + 1)
    np.add.at(evidence, place[best], scores[best] / np.where(turns.sessions[best], _TURNS, 1))
    return evidence


def _alike(share: Numbers, turns: Turns, place: NDArray[np.intp]) -> Numbers:
    """Return the mean share of each session and those nearest to it in meaning, weighted by their nearness."""
    import numpy as np

    order = np.argsort(place, kind="stable")
    vectors = np.add.reduceat(turns.vectors[order], np.searchsorted(place[order], np.arange(len(share))), axis=0)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    rows = max(1, _SMALL // vectors.size) if vectors.size else len(vectors)
    near = np.concatenate([vectors[start : start + rows] @ vectors.T for start in range(0, len(vectors), rows)])
    near = np.maximum(near, 0.0)
    np.fill_diagonal(near, 1.0)
    if len(near) > _NEAREST:
        near *= near >= np.partition(near, -_NEAREST, axis=1)[:, -_NEAREST, np.newaxis]
    alike: Numbers = near @ share / near.sum(axis=1)
    return alike


def _later(weight: Numbers, turns: Turns, place: NDArray[np.intp]) -> Numbers:
    """Return how much weight the sessions have that end later than each."""
    import numpy as np

    order = np.lexsort((turns.numbers, turns.times))
    end = np.zeros(len(weight), np.int64)
    end[place[order]] = np.arange(len(order))
    latest = np.argsort(-end)
    later = np.empty(len(weight))
    later[latest] = np.cumsum(weight[latest]) - weight[latest]
    return later
