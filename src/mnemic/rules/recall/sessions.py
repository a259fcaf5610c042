"""What sessions say for their turns: how much of each answers, what is like it, and what came later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.session_rows import SessionRows

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
_COMPARED = 1_000
"""How many sessions, those that answer best, are compared with each: what a question costs has a bound."""
_CLEAR = 3
"""How much faster than its evidence the say of a session in what is recent falls."""
_TELLING = 14
"""The number of terms from which a turn tells something."""
_SMALL = 2**18
"""The largest product of matrices that BLAS does not wake every core for."""
EXACT = 0.9
"""The fused score from which a memory is an exact answer, wherever it stands."""


def lift(
    own: Mapping[int, float], rows: SessionRows, *, goes_on: bool, literal: Collection[int] = ()
) -> tuple[dict[int, float], frozenset[int]]:
    """Return what its session adds to each candidate, and the candidates that no later session outdoes.

    A turn that says next to nothing gains less, unless it is `literal`. `goes_on` tells that the question is a message
    of a running conversation: it is about what was said on its matter in many sessions, lately above all, where a lone
    question is about one fact.
    """
    import numpy as np

    scores = np.array([own[number] for number in rows.numbers.tolist()])
    _, place = np.unique(np.where(rows.sessions, rows.sessions, rows.numbers), return_inverse=True)
    evidence = _evidence(scores, rows, place)
    numbers, lifts, recent = rows.numbers.tolist(), SESSION * evidence, frozenset[int]()
    if goes_on:
        share = evidence / (evidence.max() or 1.0)
        later = _later(share**_CLEAR, rows, place)
        lifts += ALIKE * _alike(share, rows, place) - RECENT * np.log1p(later)
        recent = frozenset(rows.numbers[(later < 1)[place]].tolist())
    curt = np.log(_TELLING / np.clip(rows.lengths, 1, _TELLING))
    curt[(rows.sessions == 0) | np.isin(rows.numbers, list(literal))] = 0.0
    lifted = np.where(scores < EXACT, lifts[place] - CURT * curt, lifts.max())
    return dict(zip(numbers, lifted.tolist(), strict=True)), recent


def _evidence(scores: Numbers, rows: SessionRows, place: NDArray[np.intp]) -> Numbers:
    """Return how much each session answers: the mean of its best turns, missing ones counting as nothing.

    A memory outside of sessions stands for itself.
    """
    import numpy as np

    order = np.lexsort((-scores, place))
    first = np.searchsorted(place[order], np.arange(place.max() + 1))
    best = order[np.arange(len(order)) - first[place[order]] < _TURNS]
    evidence = np.zeros(place.max() + 1)
    np.add.at(evidence, place[best], scores[best] / np.where(rows.sessions[best], _TURNS, 1))
    return evidence


def _alike(share: Numbers, rows: SessionRows, place: NDArray[np.intp]) -> Numbers:
    """Return the mean share of each session and those nearest to it in meaning, weighted by their nearness."""
    import numpy as np

    order = np.argsort(place, kind="stable")
    vectors = np.add.reduceat(rows.vectors[order], np.searchsorted(place[order], np.arange(len(share))), axis=0)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    compared = np.argsort(-share, kind="stable")[:_COMPARED]
    alike = np.empty(len(share))
    for start in range(0, len(share), _COMPARED):
        some = np.arange(start, min(start + _COMPARED, len(share)))
        near = np.maximum(_products(vectors[some], vectors[compared]), 0.0)
        near[some[:, np.newaxis] == compared] = 1.0
        if len(compared) > _NEAREST:
            near *= near >= np.partition(near, -_NEAREST, axis=1)[:, -_NEAREST, np.newaxis]
        alike[some] = near @ share[compared] / np.maximum(near.sum(axis=1), 1e-6)
    return alike


def _products(some: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of each of some vectors with each of the others."""
    import numpy as np

    size = max(1, _SMALL // max(1, others.size))
    return np.concatenate([some[start : start + size] @ others.T for start in range(0, len(some), size)])


def _later(weight: Numbers, rows: SessionRows, place: NDArray[np.intp]) -> Numbers:
    """Return how much weight the sessions have that end later than each."""
    import numpy as np

    order = np.lexsort((rows.numbers, rows.times))
    end = np.zeros(len(weight), np.int64)
    end[place[order]] = np.arange(len(order))
    latest = np.argsort(-end)
    later = np.empty(len(weight))
    later[latest] = np.cumsum(weight[latest]) - weight[latest]
    return later
