"""Results as text and as JSON, with the unit, every metric, and the hits of unanswerable questions."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mnemic.evaluation.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.evaluation.metrics import Estimate
    from mnemic.evaluation.run import Result
    from mnemic.model.checks import Json


def table(results: Sequence[Result]) -> str:
    """Return results as a text table, recall with its 95 % interval."""
    head = ["dataset", "unit", "k", "system", *METRICS, "unanswerable"]
    rows = [
        [
            result.dataset,
            result.unit,
            str(result.depth),
            result.system,
            *(_cell(metric, result.metrics[metric]) for metric in METRICS),
            "" if result.returned_for_nothing is None else f"{result.returned_for_nothing:.1f}",
        ]
        for result in results
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows))
    return "\n".join(line.rstrip() for line in lines)


def to_json(results: Sequence[Result]) -> list[dict[str, Json]]:
    """Return results as JSON-able values."""
    return [dataclasses.asdict(result) for result in results]


def _cell(metric: str, estimate: Estimate) -> str:
    mean = f"{estimate.mean:.3f}"
    return f"{mean} ({estimate.low:.3f}–{estimate.high:.3f})" if metric == "recall" else mean
