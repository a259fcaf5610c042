"""The options of upkeep."""

from __future__ import annotations

from dataclasses import dataclass, field

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.rules.strength import STRONGEST, Decay, number

WEAKEST = 0.9
"""The strength under which a memory is pruned; a memory of importance 1 reaches it after about three weeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of upkeep; None turns a part off.

    `window` is how many short-term memories a scope keeps, `weakest` the strength under which a memory is pruned,
    `most` how many memories an agent and user keep. Memories that are pruned or leave the window are not recalled any
    more, and are forgotten after `grace` days; their history stays unless `purge` is set. `history` is how many days a
    superseded memory is kept; None keeps it for good.
    `similar` is the least cosine of two memories that are merged. Two statements that exclude one another within
    `same_time` hours, with no word of change, are a contradiction and not an update.
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
                checks.integer(name, getattr(self, name), minimum=1, maximum=10_000_000)
        if self.weakest is not None:
            number("weakest", self.weakest, minimum=0, maximum=STRONGEST)
        number("grace", self.grace, minimum=0, maximum=1e6)
        if self.history is not None:
            number("history", self.history, minimum=0, maximum=1e6)
        number("similar", self.similar, minimum=0.5, maximum=1)
        number("same_time", self.same_time, minimum=0, maximum=1e6)
        number("protected_importance", self.protected_importance, minimum=1, maximum=STRONGEST)
        checks.name("protected_tag", self.protected_tag)
        for name in ("merge", "contradict", "purge"):
            checks.flag(name, getattr(self, name))
        if not isinstance(self.decay, Decay):
            raise InvalidInput("decay", f"must be a Decay, not {checks.shown(self.decay)}")
