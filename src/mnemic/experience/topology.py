"""The topology: what the tree shows about the agent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.experience import lessons
from mnemic.experience.branches import Branch, Period, Rate, branches, rates, trend
from mnemic.experience.experience import Experience
from mnemic.experience.lessons import LEARNED_FROM, ExperiencePair
from mnemic.experience.reflection import insights, largest

if TYPE_CHECKING:
    from mnemic.experience.manifest import ExperienceManifest
    from mnemic.experience.routes import Routes
    from mnemic.mind import Mind
    from mnemic.model.checks import Json

__all__ = ["LEARNED_FROM", "Coherence", "Dot", "Topology", "topology"]

LARGE = 100
"""How many experiences a tree needs before a branch with few of them is worth a note."""

_LONELY = 2
_OVERGROWN_SHARE, _OVERGROWN = 0.25, 2_000
_TOPICS = 15
_PAGE = 2_000


@dataclass(frozen=True, slots=True)
class Coherence:
    """Misfiled and unreadable files, very small and very large branches, and learnings that contradict each other."""

    misfiled: list[tuple[str, str]]
    unreadable: list[tuple[str, str]]
    empty: list[str]
    lonely: list[str]
    overgrown: list[str]
    contradictions: list[ExperiencePair]

    def to_dict(self) -> dict[str, Json]:
        """Return it as JSON-able values."""
        return {
            "misfiled": [{"path": path, "says": says} for path, says in self.misfiled],
            "unreadable": [{"path": path, "problem": problem} for path, problem in self.unreadable],
            "empty": list(self.empty),
            "lonely": list(self.lonely),
            "overgrown": list(self.overgrown),
            "contradictions": [pair.to_dict() for pair in self.contradictions],
        }


@dataclass(frozen=True, slots=True)
class Dot:
    """One experience as a dot of the picture."""

    folder: str
    began_at: str
    summary: str


@dataclass(frozen=True, slots=True)
class Topology:
    """Branches, rates, hotspots, lessons learned from failures, the trend and the coherence of a tree."""

    total: int
    branches: list[Branch]
    rates: list[Rate]
    hotspots: list[Branch]
    topics: list[Rate]
    lessons: list[ExperiencePair]
    trend: list[Period]
    coherence: Coherence
    insights: list[str]
    dots: list[Dot]

    def to_dict(self) -> dict[str, Json]:
        """Return the topology as JSON-able values, without the single dots."""
        return {
            "total": self.total,
            "branches": [branch.to_dict() for branch in self.branches],
            "success_rates": [rate.to_dict() for rate in self.rates],
            "hotspots": [branch.to_dict() for branch in self.hotspots],
            "topics": [rate.to_dict() for rate in self.topics],
            "lessons": [pair.to_dict() for pair in self.lessons],
            "trend": [period.to_dict() for period in self.trend],
            "coherence": self.coherence.to_dict(),
            "insights": list(self.insights),
        }


def topology(manifest: ExperienceManifest, mind: Mind, routes: Routes) -> Topology:
    """Return the topology of a tree."""
    all_branches = branches(manifest, routes)
    total = sum(branch.count for branch in all_branches)
    learnings = _experiences(mind, "learning")
    tools, periods, hotspots = rates(all_branches), trend(manifest.by_day()), largest(all_branches, "failure")
    by_outcome = Counter[str]()
    for branch in all_branches:
        by_outcome[branch.place.outcome] += branch.count
    dots = [Dot(folder, began_at, summary) for folder, began_at, summary in manifest.all()]
    failing = lessons.topics((dot.folder.partition("/")[0], dot.summary) for dot in dots)
    return Topology(
        total=total,
        branches=all_branches,
        rates=tools,
        hotspots=hotspots,
        topics=failing[:_TOPICS],
        lessons=lessons.lessons(_experiences(mind, "failure"), learnings),
        trend=periods,
        coherence=Coherence(
            misfiled=manifest.misfiled(),
            unreadable=manifest.problems(),
            empty=[branch.place.folder for branch in all_branches if not branch.count and total >= LARGE],
            lonely=[branch.place.folder for branch in all_branches if 0 < branch.count <= _LONELY and total >= LARGE],
            overgrown=[branch.place.folder for branch in all_branches if _is_overgrown(branch, total)],
            contradictions=lessons.contradictions(learnings),
        ),
        insights=list(insights(by_outcome, tools, hotspots, periods)),
        dots=dots,
    )


def _is_overgrown(branch: Branch, total: int) -> bool:
    return branch.count >= _OVERGROWN and branch.count > total * _OVERGROWN_SHARE


def _experiences(mind: Mind, outcome: str) -> list[Experience]:
    pages = mind.pages(everywhere=True, where={"category": outcome}, size=_PAGE)
    return [Experience.from_memory(memory) for page in pages for memory in page]
