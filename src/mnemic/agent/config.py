"""MemoryConfig: the settings of a memory manager."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.model import checks
from mnemic.rules.strength import STRONGEST, Decay, number
from mnemic.upkeep.options import WEAKEST, Options

if TYPE_CHECKING:
    import os

    from mnemic.ports import Embedder, Llm


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """Where memories are stored, whose they are, and how they are maintained.

    `path` is a folder, ":memory:", or None for the mind of the settings. `agent` and `user` own the memories; without
    a user, only memories that belong to no user are seen. `window` is how many messages of a conversation stay in
    short-term memory; older ones are summarised into an episode if `summarise` is on, else forgotten. `half_life` is
    in days. Memories whose strength falls below `prune_below` are pruned; None turns that off. `consolidate` merges
    near-duplicates. `embedder` and `llm` are objects, names such as "openai:gpt-5", or None for those of the settings.
    """

    path: str | os.PathLike[str] | None = None
    agent: str = "assistant"
    user: str | None = None
    window: int = 50
    summarise: bool = True
    half_life: float = 90.0
    prune_below: float | None = WEAKEST
    consolidate: bool = True
    embedder: str | Embedder | None = None
    llm: str | Llm | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        checks.name("agent", self.agent)
        if self.user is not None:
            checks.name("user", self.user)
        checks.integer("window", self.window, minimum=2, maximum=100_000)
        checks.flag("summarise", self.summarise)
        checks.flag("consolidate", self.consolidate)
        if self.prune_below is not None:
            number("prune_below", self.prune_below, minimum=0, maximum=STRONGEST)
        self.options()

    def options(self) -> Options:
        """Return the options of upkeep for this configuration."""
        return Options(
            window=self.window if self.summarise else None,
            decay=Decay(half_life=self.half_life),
            weakest=self.prune_below,
            merge=self.consolidate,
        )
