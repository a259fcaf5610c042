"""The report of a run: what upkeep did, or would do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mnemic.model.checks import Json

Kind = Literal[
    "merged",
    "superseded",
    "partly outdated",
    "contradiction",
    "summarised",
    "promoted",
    "pruned",
    "forgotten",
    "purged",
]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing done to a memory, why, because of which other memory, and by whom: "rules" or the name of a model."""

    kind: Kind
    id: str
    text: str
    reason: str
    other_id: str | None = None
    by: str = "rules"

    def to_dict(self) -> dict[str, Json]:
        """Return the action as JSON-able values."""
        return {
            "kind": self.kind,
            "id": self.id,
            "other_id": self.other_id,
            "reason": self.reason,
            "by": self.by,
            "text": self.text,
        }


@dataclass(slots=True)
class Report:
    """The actions of a run, and what went wrong with a model."""

    dry_run: bool = False
    examined: int = 0
    actions: list[Action] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Count the actions by kind."""
        return dict(Counter(action.kind for action in self.actions))

    def note(self, problem: str | None) -> None:
        """Add a problem, unless it is None or already there."""
        if problem is not None and problem not in self.problems:
            self.problems.append(problem)

    def to_dict(self) -> dict[str, Json]:
        """Return the report as JSON-able values."""
        return {
            "dry_run": self.dry_run,
            "examined": self.examined,
            "counts": dict(self.counts),
            "actions": [action.to_dict() for action in self.actions],
            "problems": list(self.problems),
        }
