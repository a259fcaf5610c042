"""Metrics of a ranking: three kinds of recall, precision, NDCG and MRR, with confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

METRICS = ("recall", "recall_any", "recall_all", "precision", "ndcg", "mrr")
_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and the bounds of its 95 % confidence interval."""

    mean: float
    low: float
    high: float


def judge(ranking: Sequence[str], gold: Collection[str], depth: int) -> dict[str, float]:
    """Return the metrics of the ranking for one question, best first, down to a depth.

    `recall` is the share of the gold that was found, `recall_any` whether any was, `recall_all` whether all was.
    `precision` is the share of the returned units that are gold, 1 if nothing was returned.
    """
    if not gold:
        raise ValueError("A question without an answer has no recall. Count what it returns instead.")
    returned = ranking[:depth]
    hits = [rank for rank, unit in enumerate(returned) if unit in gold]
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(len(gold), depth)))
    return {
        "recall": len(hits) / len(gold),
        "recall_any": float(bool(hits)),
        "recall_all": float(len(hits) == len(gold)),
        "precision": len(hits) / len(returned) if returned else 1.0,
        "ndcg": sum(1 / math.log2(rank + 2) for rank in hits) / ideal,
        "mrr": 1 / (hits[0] + 1) if hits else 0.0,
    }


def summary(judged: Sequence[Mapping[str, float]]) -> dict[str, Estimate]:
    """Return the mean of each metric over questions, with a seeded bootstrap interval."""
    return {metric: estimate([row[metric] for row in judged]) for metric in METRICS} if judged else {}


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of values with its bootstrap interval."""
    import numpy as np

    table = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(0).integers(0, len(table), size=(_RESAMPLES, len(table)))
    low, high = np.quantile(table[drawn].mean(axis=1), (0.025, 0.975))
    return Estimate(float(table.mean()), float(low), float(high))
