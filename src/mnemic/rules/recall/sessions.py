"""Session scores: how well each session answers, which sessions are similar, and which came later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.session_rows import SessionRows

    Numbers = NDArray[np.float64]

SESSION = 0.3
"""The weight of its session's score in a turn's score."""
SIMILAR = 5.0
"""For a message, the weight of the mean score of similar sessions: together they are about one topic."""
RECENCY = 0.6
"""For a message, the penalty for later sessions that answer equally well; it grows with their logarithm."""
SHORT_TURN = 0.3
"""The penalty for a short turn, which only agrees, thanks or laughs, by the logarithm of how short it is."""
EXACT_MATCH = 0.9
"""The fused score from which a memory is an exact match, whatever its session."""

_BEST_TURNS = 3
_NEAREST = 11
"""The number of similar sessions that are averaged, the session itself included."""
_COMPARED = 1_000
"""The number of sessions, best first, that each session is compared with; this bounds the cost of a query."""
_RECENCY_POWER = 3
"""Later sessions are weighted by this power of their score, so that only good ones count."""
_FULL_LENGTH = 14
"""The number of terms from which a turn is not short."""
_SINGLE_CORE_SIZE = 2**18
"""The largest matrix product for which BLAS does not start a thread on every core."""


def session_boosts(
    fused: Mapping[int, float], rows: SessionRows, *, is_message: bool, literal: Collection[int] = ()
) -> tuple[dict[int, float], frozenset[int]]:
    """Return what each candidate gains from its session, and the candidates that no later session outscores.

    Short turns gain less, unless they are `literal`. A question is about one fact; a message is about a topic of many
    sessions, mostly recent ones, so for a message similar and later sessions count too.
    """
    import numpy as np

    scores = np.array([fused[number] for number in rows.numbers.tolist()])
    _, session_of = np.unique(np.where(rows.sessions, rows.sessions, rows.numbers), return_inverse=True)
    session_scores = _session_scores(scores, rows, session_of)
    numbers, boosts, recent = rows.numbers.tolist(), SESSION * session_scores, frozenset[int]()
    if is_message:
        relative = session_scores / (session_scores.max() or 1.0)
        later = _later(relative**_RECENCY_POWER, rows, session_of)
        boosts += SIMILAR * _similar(relative, rows, session_of) - RECENCY * np.log1p(later)
        recent = frozenset(rows.numbers[(later < 1)[session_of]].tolist())
    shortness = np.log(_FULL_LENGTH / np.clip(rows.lengths, 1, _FULL_LENGTH))
    shortness[(rows.sessions == 0) | np.isin(rows.numbers, list(literal))] = 0.0
    boosted = np.where(scores < EXACT_MATCH, boosts[session_of] - SHORT_TURN * shortness, boosts.max())
    return dict(zip(numbers, boosted.tolist(), strict=True)), recent


def _session_scores(scores: Numbers, rows: SessionRows, session_of: NDArray[np.intp]) -> Numbers:
    """Return the mean of each session's best turns, missing ones counting as 0.

    A memory outside sessions is a session of its own, scored by itself.
    """
    import numpy as np

    order = np.lexsort((-scores, session_of))
    first = np.searchsorted(session_of[order], np.arange(session_of.max() + 1))
    best = order[np.arange(len(order)) - first[session_of[order]] < _BEST_TURNS]
    session_scores = np.zeros(session_of.max() + 1)
    np.add.at(session_scores, session_of[best], scores[best] / np.where(rows.sessions[best], _BEST_TURNS, 1))
    return session_scores


def _similar(session_scores: Numbers, rows: SessionRows, session_of: NDArray[np.intp]) -> Numbers:
    """Return the mean score of each session and its nearest sessions, weighted by cosine."""
    import numpy as np

    count = len(session_scores)
    order = np.argsort(session_of, kind="stable")
    vectors = np.add.reduceat(rows.vectors[order], np.searchsorted(session_of[order], np.arange(count)), axis=0)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    compared = np.argsort(-session_scores, kind="stable")[:_COMPARED]
    means = np.empty(count)
    for start in range(0, count, _COMPARED):
        batch = np.arange(start, min(start + _COMPARED, count))
        cosines = np.maximum(_products(vectors[batch], vectors[compared]), 0.0)
        cosines[batch[:, np.newaxis] == compared] = 1.0
        if len(compared) > _NEAREST:
            cosines *= cosines >= np.partition(cosines, -_NEAREST, axis=1)[:, -_NEAREST, np.newaxis]
        means[batch] = cosines @ session_scores[compared] / np.maximum(cosines.sum(axis=1), 1e-6)
    return means


def _products(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the dot product of every row on the left with every row on the right."""
    import numpy as np

    size = max(1, _SINGLE_CORE_SIZE // max(1, right.size))
    return np.concatenate([left[start : start + size] @ right.T for start in range(0, len(left), size)])


def _later(weights: Numbers, rows: SessionRows, session_of: NDArray[np.intp]) -> Numbers:
    """Return, for each session, the total weight of the sessions that end later."""
    import numpy as np

    order = np.lexsort((rows.numbers, rows.times))
    end = np.zeros(len(weights), np.int64)
    end[session_of[order]] = np.arange(len(order))
    latest = np.argsort(-end)
    later = np.empty(len(weights))
    later[latest] = np.cumsum(weights[latest]) - weights[latest]
    return later
