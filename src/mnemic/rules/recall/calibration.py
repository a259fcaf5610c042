"""The calibration of scores: the probability that a candidate is relevant, fitted by training/calibration.py."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Features: TypeAlias = "tuple[float, float, float | None, bool]"
"""Cosine, share of the query's term weight, neighbour cosine (None outside sessions), speaker named in the query."""

# training/calibration.py finds and rewrites the constants down to POOR_MEAN by their names.
SINGLE_BIAS, SINGLE_COSINE, SINGLE_COVERAGE, SINGLE_MESSAGE = -5.56, 4.14, 3.10, 0.47
"""The weights for a memory outside sessions."""
BIAS, COSINE, COVERAGE, NEIGHBOURS, SPEAKER, MESSAGE = -5.14, 2.16, 2.81, 4.25, 1.64, 0.69
"""The weights for a turn of a session."""
RERANKED_BIAS, RERANKED_PROBABILITY, RERANKED_RANKING, RERANKED_SCORE, RERANKED_LENGTH = -1.32, 0.53, 0.60, 0.23, 0.63
"""The weights after reranking. RERANKED_RANKING is set by hand: even unanswerable queries have a top score."""
THRESHOLD = 0.0137
"""The default `min_score`."""
RERANKED_THRESHOLD = 0.0045
"""The default `min_score` after reranking."""
POOR_MEAN = 0.0128
"""If the ten best turns have a lower mean probability, none of them counts as an answer."""

UNREACHABLE = math.inf
"""The threshold that no score reaches."""

_MIN_PROBABILITY = 1e-5
_SHORT_TEXT = 400


def term_weight(total: int, count: int) -> float:
    """Return the weight of a term that occurs in `count` of `total` memories: the rarer, the higher."""
    return math.log(1 + (total + 1) / (count + 1))


def probability(features: Features, *, is_message: bool = False) -> float:
    """Return the probability of relevance; candidates for a message are relevant more often than for a question."""
    cosine, coverage, neighbours, speaker = features
    if neighbours is None:
        return sigmoid(SINGLE_BIAS + SINGLE_COSINE * cosine + SINGLE_COVERAGE * coverage + SINGLE_MESSAGE * is_message)
    context = NEIGHBOURS * neighbours + SPEAKER * speaker
    return sigmoid(BIAS + COSINE * cosine + COVERAGE * coverage + context + MESSAGE * is_message)


def prior(probability: float, ranking_score: float, length: int) -> float:
    """Return the log odds of relevance before the reranker's score; rerankers overrate long texts."""
    known = RERANKED_PROBABILITY * log_odds(probability) + RERANKED_RANKING * ranking_score
    return RERANKED_BIAS + known - RERANKED_LENGTH * excess_length(length)


def excess_length(length: int) -> float:
    """Return the logarithm of a text's length relative to a short text; 0 for short texts."""
    return math.log(max(length, _SHORT_TEXT) / _SHORT_TEXT)


def reranked(prior: float, score: float) -> float:
    """Return the probability of relevance after reranking."""
    return sigmoid(prior + RERANKED_SCORE * log_odds(score))


def log_odds(probability: float) -> float:
    """Return the log odds of a probability, clipped to stay finite."""
    clipped = min(max(probability, _MIN_PROBABILITY), 1 - _MIN_PROBABILITY)
    return math.log(clipped / (1 - clipped))


def sigmoid(log_odds: float) -> float:
    """Return the probability with these log odds."""
    return (1 + math.tanh(log_odds / 2)) / 2


def is_poor(probabilities: Sequence[float]) -> bool:
    """Return whether the best turns are too improbable, on average, to be an answer."""
    return sum(probabilities) < POOR_MEAN * len(probabilities)


def non_increasing(probabilities: Sequence[float]) -> list[float]:
    """Return the nearest sequence that never rises down the ranking (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in probabilities:
        mean, size = value, 1
        while pools and pools[-1][0] < mean:
            previous_mean, previous_size = pools.pop()
            mean = (previous_mean * previous_size + mean * size) / (previous_size + size)
            size += previous_size
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]
