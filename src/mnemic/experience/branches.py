"""The branches of the tree, the success rate of each tool, and the trend over time."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mnemic.experience.routes import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mnemic.experience.manifest import ExperienceManifest
    from mnemic.experience.routes import Routes
    from mnemic.model.checks import Json

SUCCESS, FAILURE = "success", "failure"
_DAYS, _WEEKS = 31, 400
"""The longest span of days that is counted by day, and by week."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One place of the table, the number of its experiences, and their first and last time."""

    place: Place
    count: int
    first: str | None = None
    last: str | None = None

    def to_dict(self) -> dict[str, Json]:
        """Return the branch as JSON-able values."""
        place = self.place
        return {
            "folder": place.folder,
            "outcome": place.outcome,
            "tool": place.tool,
            "key": place.key,
            "value": place.value,
            "count": self.count,
            "first": self.first,
            "last": self.last,
        }


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something succeeded and failed."""

    name: str
    successes: int
    failures: int

    @property
    def tries(self) -> int:
        """The number of successes and failures."""
        return self.successes + self.failures

    @property
    def rate(self) -> float | None:
        """The share of successes, None without any try."""
        return self.successes / self.tries if self.tries else None

    def to_dict(self) -> dict[str, Json]:
        """Return the rate as JSON-able values."""
        rate = None if self.rate is None else round(self.rate, 4)
        return {"name": self.name, "successes": self.successes, "failures": self.failures, "success_rate": rate}


@dataclass(frozen=True, slots=True)
class Period:
    """The number of experiences in a span of time, by outcome."""

    start: str
    outcomes: dict[str, int]

    @property
    def rate(self) -> Rate:
        """The successes and failures of this period."""
        return Rate(self.start, self.outcomes.get(SUCCESS, 0), self.outcomes.get(FAILURE, 0))

    def to_dict(self) -> dict[str, Json]:
        """Return the period as JSON-able values."""
        return {
            "start": self.start,
            "outcomes": dict(self.outcomes),
            "success_rate": self.rate.to_dict()["success_rate"],
        }


def branches(manifest: ExperienceManifest, routes: Routes) -> list[Branch]:
    """Return every place of the table in its order, then the places that only files name."""
    counts = {
        Place(outcome, tool, key, value): (count, first, last)
        for outcome, tool, key, value, count, first, last in manifest.tally()
    }
    places = dict.fromkeys((*routes.places, *counts))
    return [Branch(place, *counts.get(place, (0, None, None))) for place in places]


def rates(branches: Sequence[Branch]) -> list[Rate]:
    """Return the success rate of each tool, the most used tool first."""
    successes, failures = Counter[str](), Counter[str]()
    for branch in branches:
        counter = {SUCCESS: successes, FAILURE: failures}.get(branch.place.outcome)
        if counter is not None and branch.place.tool and branch.count:
            counter[branch.place.tool] += branch.count
    tools = sorted({*successes, *failures}, key=lambda tool: (-successes[tool] - failures[tool], tool))
    return [Rate(tool, successes[tool], failures[tool]) for tool in tools]


def trend(days: Iterable[tuple[str, str, int]]) -> list[Period]:
    """Count by day, week or month, depending on the span; empty periods in between are included."""
    counts = [(date.fromisoformat(day), outcome, count) for day, outcome, count in days]
    if not counts:
        return []
    first, last = counts[0][0], counts[-1][0]
    length = (last - first).days + 1
    by_start: dict[date, Counter[str]] = defaultdict(Counter)
    for offset in range(length):
        by_start[_start(first + timedelta(offset), length)].update()
    for day, outcome, count in counts:
        by_start[_start(day, length)][outcome] += count
    return [Period(start.isoformat(), dict(outcomes)) for start, outcomes in sorted(by_start.items())]


def _start(day: date, length: int) -> date:
    if length <= _DAYS:
        return day
    return day - timedelta(day.weekday()) if length <= _WEEKS else day.replace(day=1)
