"""The target shares of a balanced dataset, and the measured ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemic.experience.routes import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mnemic.model.checks import Json

SCALES = {"small": 100, "medium": 1_000, "large": 10_000, "vast": 50_000}


@dataclass(frozen=True, slots=True)
class Target:
    """The range, in percent, for the share of one value of a field."""

    field: str
    value: str
    least: float
    most: float


TARGETS = tuple(
    Target(field, value, least, most)
    for field, values in {
        "outcome": {"success": (55, 65), "failure": (15, 25), "learning": (10, 15), "interaction": (5, 10)},
        "tool": {
            "code_interpreter": (40, 50),
            "web_search": (15, 20),
            "file_operation": (10, 15),
            "conversation": (5, 10),
        },
        "error_type": {"runtime": (35, 45), "syntax": (20, 30), "logic": (20, 30), "timeout": (5, 10)},
        "task_type": {"debug": (35, 45), "write": (25, 35), "refactor": (15, 25), "explain": (5, 10)},
    }.items()
    for value, (least, most) in values.items()
)
"""In percent: outcomes and tools of all memories, errors of the code interpreter's failures, tasks of its successes."""

AIMS: dict[Place, float] = {
    Place("success", "code_interpreter", "task_type", "debug"): 12.0,
    Place("success", "code_interpreter", "task_type", "write"): 9.3,
    Place("success", "code_interpreter", "task_type", "refactor"): 6.3,
    Place("success", "code_interpreter", "task_type", "explain"): 2.4,
    Place("success", "web_search", "domain", "technical"): 7.5,
    Place("success", "web_search", "domain", "research"): 2.5,
    Place("success", "web_search", "domain", "general"): 2.5,
    Place("success", "file_operation"): 10.0,
    Place("success", "conversation"): 7.5,
    Place("failure", "code_interpreter", "error_type", "runtime"): 5.3,
    Place("failure", "code_interpreter", "error_type", "syntax"): 3.3,
    Place("failure", "code_interpreter", "error_type", "logic"): 3.3,
    Place("failure", "code_interpreter", "error_type", "timeout"): 1.1,
    Place("failure", "web_search", "reason", "no_results"): 1.8,
    Place("failure", "web_search", "reason", "blocked"): 1.0,
    Place("failure", "web_search", "reason", "irrelevant"): 1.2,
    Place("failure", "file_operation"): 2.5,
    Place("failure", "unknown"): 0.5,
    Place("learning", None, "insight_type", "pattern"): 3.6,
    Place("learning", None, "insight_type", "correction"): 4.6,
    Place("learning", None, "insight_type", "preference"): 1.9,
    Place("learning", None, "insight_type", "fact"): 2.4,
    Place("interaction", None, "sentiment", "positive"): 3.7,
    Place("interaction", None, "sentiment", "neutral"): 1.9,
    Place("interaction", None, "sentiment", "negative"): 1.9,
}
"""The share of each place that the generator aims at, in percent: the middle of the targets."""


@dataclass(frozen=True, slots=True)
class Share:
    """A measured share and its target, in percent."""

    target: Target
    percent: float

    @property
    def ok(self) -> bool:
        """Whether the share is within its range."""
        return self.target.least <= round(self.percent, 2) <= self.target.most

    def to_dict(self) -> dict[str, Json]:
        """Return the share as JSON-able values."""
        target = self.target
        return {
            "field": target.field,
            "value": target.value,
            "least": target.least,
            "most": target.most,
            "percent": round(self.percent, 2),
            "ok": self.ok,
        }


def quotas(count: int) -> dict[Place, int]:
    """Return the number of memories for each place, rounded so that they add up to `count`."""
    exact = {place: count * aim / sum(AIMS.values()) for place, aim in AIMS.items()}
    rounded = {place: int(share) for place, share in exact.items()}
    by_rest = sorted(exact, key=lambda place: rounded[place] - exact[place])
    for place in by_rest[: count - sum(rounded.values())]:
        rounded[place] += 1
    return rounded


class ShareCounter:
    """The counts from which the shares are measured."""

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Count one entry."""
        self.total += 1
        for field in ("outcome", "tool", "error_type", "task_type"):
            if isinstance(entry.get(field), str):
                self._counts[field][entry[field]] += 1

    def shares(self) -> list[Share]:
        """Return every share with its target."""
        measured = []
        for target in TARGETS:
            counts = self._counts[target.field]
            whole = self.total if target.field in ("outcome", "tool") else counts.total()
            measured.append(Share(target, 100 * counts[target.value] / whole if whole else 0.0))
        return measured


def shares(entries: Iterable[Mapping[str, Any]]) -> list[Share]:
    """Measure the shares of entries."""
    counter = ShareCounter()
    for entry in entries:
        counter.add(entry)
    return counter.shares()
