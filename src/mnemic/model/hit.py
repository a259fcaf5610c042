"""Results of recall: hits, explanations and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from mnemic.model.checks import Json
    from mnemic.model.memory import Memory


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory, its score in [0, 1] and the reasons for it."""

    memory: Memory
    score: float
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return the hit as JSON-able values."""
        return {"score": round(self.score, 4), "reasons": list(self.reasons), "memory": self.memory.to_dict()}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was, or was not, recalled."""

    memory: Memory
    recalled: bool
    rank: int | None
    score: float
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return the explanation as JSON-able values."""
        return {
            "recalled": self.recalled,
            "rank": self.rank,
            "score": round(self.score, 4),
            "reasons": list(self.reasons),
            "memory": self.memory.to_dict(),
        }


class Page(Sequence["Memory"]):
    """Memories in order of arrival, and where the next page starts."""

    def __init__(self, memories: Sequence[Memory], next: str | None) -> None:
        self._memories = tuple(memories)
        self.next = next

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Memory, ...]: ...
    def __getitem__(self, index: int | slice) -> Memory | tuple[Memory, ...]:
        return self._memories[index]

    def __len__(self) -> int:
        return len(self._memories)
