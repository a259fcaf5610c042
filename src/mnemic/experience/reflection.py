"""A look back over the tree: counts, rates and what they mean in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.experience.branches import FAILURE, SUCCESS, Branch, Period, Rate, branches, rates, trend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mnemic.experience.experience import Experience
    from mnemic.experience.manifest import ExperienceManifest
    from mnemic.experience.routes import Routes
    from mnemic.model.checks import Json

_SHOWN = 5
_RECENT = 10
_ENOUGH = 20
"""How many tries a rate needs before it is mentioned."""


@dataclass(frozen=True, slots=True)
class Reflection:
    """Counts, rates, the branches with most failures and successes, the newest experiences, and insights in words."""

    total: int
    by_outcome: dict[str, int]
    by_tool: list[Rate]
    hotspots: list[Branch]
    strengths: list[Branch]
    trend: list[Period]
    recent: list[Experience]
    insights: list[str]

    def to_dict(self) -> dict[str, Json]:
        """Return the reflection as JSON-able values."""
        return {
            "total": self.total,
            "by_outcome": dict(self.by_outcome),
            "by_tool": [rate.to_dict() for rate in self.by_tool],
            "hotspots": [branch.to_dict() for branch in self.hotspots],
            "strengths": [branch.to_dict() for branch in self.strengths],
            "trend": [period.to_dict() for period in self.trend],
            "recent": [experience.to_dict() for experience in self.recent],
            "insights": list(self.insights),
        }


def reflect(
    manifest: ExperienceManifest, routes: Routes, experiences: Callable[[Sequence[str]], list[Experience]]
) -> Reflection:
    """Look back over all experiences."""
    filled = branches(manifest, routes)
    by_outcome = Counter(dict.fromkeys(routes.outcomes, 0))
    for branch in filled:
        by_outcome[branch.place.outcome] += branch.count
    tools, periods = rates(filled), trend(manifest.by_day())
    recent = [id for _, id in manifest.newest(routes.places, limit=_RECENT)]
    return Reflection(
        total=sum(by_outcome.values()),
        by_outcome=dict(by_outcome),
        by_tool=tools,
        hotspots=largest(filled, FAILURE),
        strengths=largest(filled, SUCCESS),
        trend=periods,
        recent=experiences(recent),
        insights=list(insights(by_outcome, tools, largest(filled, FAILURE), periods)),
    )


def largest(branches: Sequence[Branch], outcome: str) -> list[Branch]:
    """Return the branches of an outcome with most experiences."""
    filled = [branch for branch in branches if branch.place.outcome == outcome and branch.count]
    return sorted(filled, key=lambda branch: -branch.count)[:_SHOWN]


def insights(
    by_outcome: Counter[str], tools: Sequence[Rate], hotspots: Sequence[Branch], periods: Sequence[Period]
) -> Iterator[str]:
    """Put the figures into words."""
    overall = Rate("overall", by_outcome[SUCCESS], by_outcome[FAILURE])
    if overall.rate is not None:
        yield f"{overall.rate:.0%} of {overall.tries:,} tries succeeded"
    if hotspots:
        worst = hotspots[0]
        yield f"{worst.place.folder} holds {worst.count / by_outcome[FAILURE]:.0%} of {by_outcome[FAILURE]:,} failures"
    judged = [rate for rate in tools if rate.tries >= _ENOUGH and rate.rate is not None]
    if len(judged) > 1:
        weakest = min(judged, key=lambda rate: rate.rate or 0.0)
        yield f"{weakest.name} is the weakest tool: {weakest.rate:.0%} of {weakest.tries:,} tries succeeded"
    if by_outcome[FAILURE] and "learning" in by_outcome:
        yield f"{by_outcome['learning']:,} learnings stand beside {by_outcome[FAILURE]:,} failures"
    yield from _change(periods)


def _change(periods: Sequence[Period]) -> Iterator[str]:
    quarter = len(periods) // 4
    if quarter:
        early, late = _joined(periods[:quarter]), _joined(periods[-quarter:])
        if early.tries >= _ENOUGH and late.tries >= _ENOUGH and early.rate is not None and late.rate is not None:
            change = (late.rate - early.rate) * 100
            verb = "rose" if change >= 1 else "fell" if change <= -1 else "stayed the same"
            first, last = f"{early.rate:.0%} in the first quarter of the time", f"{late.rate:.0%} in the last"
            yield f"the share of successes {verb}: {first}, {last}"


def _joined(periods: Sequence[Period]) -> Rate:
    counts = [period.rate for period in periods]
    return Rate("", sum(rate.successes for rate in counts), sum(rate.failures for rate in counts))
