"""The branches of the tree, how often each tool succeeds, and how that changes with time."""

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
"""The longest span of days that is told day by day, and week by week."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Hold one place of the table, how many experiences are filed there, and since and until when."""

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
    """Hold how often something succeeded and failed."""

    name: str
    successes: int
    failures: int

    @property
    def tries(self) -> int:
        """Count both."""
        return self.successes + self.failures

    @property
    def rate(self) -> float | None:
        """Return the share that succeeded."""
        return self.successes / self.tries if self.tries else None

    def to_dict(self) -> dict[str, Json]:
        """Return the rate as JSON-able values."""
        rate = None if self.rate is None else round(self.rate, 4)
        return {"name": self.name, "successes": self.successes, "failures": self.failures, "success_rate": rate}


@dataclass(frozen=True, slots=True)
class Period:
    """Count the experiences of a span of time by outcome."""

    start: str
    outcomes: dict[str, int]

    @property
    def rate(self) -> Rate:
        """Return how often things succeeded meanwhile."""
        return Rate(self.start, self.outcomes.get(SUCCESS, 0), self.outcomes.get(FAILURE, 0))

    def to_dict(self) -> dict[str, Json]:
        """Return the period as JSON-able values."""
        return {
            "start": self.start,
            "outcomes": dict(self.outcomes),
            "success_rate": self.rate.to_dict()["success_rate"],
        }


def branches(manifest: ExperienceManifest, routes: Routes) -> list[Branch]:
    """Return every place of the table, in its order, and then those that only files name."""
    counted = {
        Place(outcome, tool, key, value): (count, first, last)
        for outcome, tool, key, value, count, first, last in manifest.tally()
    }
    places = dict.fromkeys((*routes.places, *counted))
    return [Branch(place, *counted.get(place, (0, None, None))) for place in places]


def rates(found: Sequence[Branch]) -> list[Rate]:
    """Return how often each tool succeeds, the most used first."""
    won, lost = Counter[str](), Counter[str]()
    for branch in found:
        counter = {SUCCESS: won, FAILURE: lost}.get(branch.place.outcome)
        if counter is not None and branch.place.tool and branch.count:
            counter[branch.place.tool] += branch.count
    tools = sorted({*won, *lost}, key=lambda tool: (-won[tool] - lost[tool], tool))
    return [Rate(tool, won[tool], lost[tool]) for tool in tools]


def trend(days: Iterable[tuple[str, str, int]]) -> list[Period]:
    """Count by day, week or month, whichever suits the span; empty periods in between are told too."""
    counted = [(date.fromisoformat(day), outcome, count) for day, outcome, count in days]
    if not counted:
        return []
    first, last = counted[0][0], counted[-1][0]
    length = (last - first).days + 1
    by_start: dict[date, Counter[str]] = defaultdict(Counter)
    for offset in range(length):
        by_start[_start(first + timedelta(offset), length)].update()
    for day, outcome, count in counted:
        by_start[_start(day, length)][outcome] += count
    return [Period(start.isoformat(), dict(outcomes)) for start, outcomes in sorted(by_start.items())]


def _start(day: date, length: int) -> date:
    if length <= _DAYS:
        return day
    return day - timedelta(day.weekday()) if length <= _WEEKS else day.replace(day=1)
