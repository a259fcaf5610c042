"""What the derived index is fed from: a store in one state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row: TypeAlias = "tuple[int, str | None, str | None, str | None, str, str, str, bytes | None, str]"
"""Number, agent, user, session, tier, since and until when it holds, vector and text of a memory.

Times are ISO 8601 in UTC, without the zone; a vector is little-endian 16-bit floats.
"""
ALWAYS = "9999-12-31T23:59:59.999999"
"""Until when a memory holds that has no end."""
NEVER = "0001-01-01"
"""Until when a memory holds that ended before it began."""


@dataclass(frozen=True, slots=True)
class State:
    """A state of a store: its line of changes, the vectors that are searched, and the number of the last change."""

    generation: str
    vectors: str | None
    last_seq: int

    def continues(self, other: State) -> bool:
        """Tell whether this state can be reached from another by following the changes."""
        same_line = (self.generation, self.vectors) == (other.generation, other.vectors)
        return same_line and self.last_seq >= other.last_seq


class Source(Protocol):
    """A store as its index sees it; everything is told of one state."""

    @property
    def state(self) -> State:
        """The state that is told of."""

    def rows(self) -> Iterable[Row]:
        """Return every memory, in the order of their numbers."""

    def rows_after(self, number: int) -> Iterable[Row]:
        """Return the memories with higher numbers, in order."""

    def rows_of(self, numbers: Sequence[int]) -> Iterable[Row]:
        """Return the memories with these numbers, in order."""

    def forgotten_since(self, seq: int) -> list[int]:
        """Return the numbers of memories that were forgotten after a change."""

    def changed_since(self, seq: int) -> list[int]:
        """Return the numbers of memories up to a change whose row changed after it."""

    def sync(self) -> None:
        """Have the state on the disk, so that nothing derived from it survives a power failure that undoes it."""
