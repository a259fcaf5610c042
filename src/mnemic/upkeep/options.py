"""Options of upkeep, checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass, field

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.rules.strength import STRONGEST, Decay, number

WEAKEST = 0.9
"""The strength under which a memory is pruned: small talk, of importance 1, reaches it after about three weeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Say what upkeep does; None turns a part off.

    `window` is how many short-term memories a scope keeps, `weakest` the strength under which a memory is pruned,
    `most` how many memories an agent and user keep. What is pruned, or has left the window, ends at once and is
    forgotten after `grace` days: history remains, unless `purge` has it erased. `history` is how many days a memory
    is kept after another one took its place; None keeps it for good.
    `similar` is the cosine from which two memories may be merged; `same_time` the hours within which two claims that
    exclude one another, without a word of change, are a contradiction rather than an update.
    """

    window: int | None = 50
    decay: Decay = field(default_factory=Decay)
    weakest: float | None = WEAKEST
    most: int | None = None
    grace: float = 30.0
    purge: bool = False
    history: float | None = None
    merge: bool = True
    similar: float = 0.7
    contradict: bool = True
    same_time: float = 24.0
    protected_tag: str = "protected"
    protected_importance: float = 9.0

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("window", "most"):
            if getattr(self, name) is not None:
                checks.whole(name, getattr(self, name), least=1, most=10_000_000)
        if self.weakest is not None:
            number("weakest", self.weakest, least=0, most=STRONGEST)
        number("grace", self.grace, least=0, most=1e6)
        if self.history is not None:
            number("history", self.history, least=0, most=1e6)
        number("similar", self.similar, least=0.5, most=1)
        number("same_time", self.same_time, least=0, most=1e6)
        number("protected_importance", self.protected_importance, least=1, most=STRONGEST)
        checks.name("protected_tag", self.protected_tag)
        for name in ("merge", "contradict", "purge"):
            checks.flag(name, getattr(self, name))
        if not isinstance(self.decay, Decay):
            raise InvalidInput("decay", f"must be a Decay, not {checks.shown(self.decay)}")
