"""Reranking: a reranker's scores of the best candidates, within a time limit."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mnemic.errors import ModelError
from mnemic.rules.recall.calibration import log_odds, reranked, sigmoid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Reranker

MAX_RERANKED = 40
MAX_IN_CONTEXT = 20
"""The maximum number of candidates that are scored again together with the previous turn."""
SECONDS = 1.0
_FIRST_SHARE = 0.6
"""The share of the time limit for scoring passages without the previous turn."""
_BATCH = 8
_CONTEXT_CHARACTERS = 200
"""The length of the previous turn's end that is read: that is where it asks the question."""


def rerank_scores(
    reranker: Reranker,
    query: str,
    passages: Sequence[str],
    previous: Sequence[str | None],
    priors: Sequence[float],
    seconds: float = SECONDS,
) -> list[float]:
    """Return the reranker's scores in [0, 1] of the first passages, as many as the time allows.

    The most probable passages are scored again after the previous turn, and the mean log odds count. The time starts
    after the first passage, so that loading the model does not count.
    """
    scores = _scores(reranker, query, passages[:1])
    start = time.monotonic()
    scores += _scores_until(reranker, query, passages[1:MAX_RERANKED], start + _FIRST_SHARE * seconds)
    by_probability = sorted(range(len(scores)), key=lambda index: reranked(priors[index], scores[index]), reverse=True)
    in_context = {
        index: f"{turn[-_CONTEXT_CHARACTERS:]} {passages[index]}"
        for index in by_probability
        if (turn := previous[index]) is not None
    }
    indexes = list(in_context)[:MAX_IN_CONTEXT]
    context_scores = _scores_until(reranker, query, [in_context[index] for index in indexes], start + seconds)
    for index, score in zip(indexes, context_scores, strict=False):
        scores[index] = sigmoid((log_odds(scores[index]) + log_odds(score)) / 2)
    return scores


def _scores_until(reranker: Reranker, query: str, texts: Sequence[str], deadline: float) -> list[float]:
    """Return the scores of the first texts, as many as are scored before the deadline."""
    scores: list[float] = []
    while len(scores) < len(texts) and time.monotonic() < deadline:
        scores += _scores(reranker, query, texts[len(scores) : len(scores) + _BATCH])
    return scores


def _scores(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """Return one score per text, refusing anything but numbers from 0 to 1."""
    scores = [float(score) for score in reranker.score(query, texts)] if texts else []
    if len(scores) != len(texts) or not all(0 <= score <= 1 for score in scores):
        raise ModelError(f"the reranker gave {scores} for {len(texts)} texts, not a number from 0 to 1 for each")
    return scores
