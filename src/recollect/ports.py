"""What the core needs from outside: narrow interfaces that adapters implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from recollect.model.filter import Selection
    from recollect.model.health import Finding
    from recollect.model.memory import Change, Link, Memory

    Progress = Callable[[str, int, int], None]
    """Be told what is being done, how much of it is done, and how much there is."""


class Transaction(Protocol):
    """Change a store: everything done inside one transaction is kept, or none of it."""

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories with these ids, by id."""

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last states by the sequence number of their creation."""

    def twins(self, memories: Sequence[Memory]) -> dict[bytes, list[Memory]]:
        """Return the stored memories told in the same words, outside sessions, by their digest."""

    def select(self, selection: Selection) -> Sequence[str]:
        """Return the ids of the selected memories, in order of arrival."""

    def insert(self, memories: Sequence[Memory]) -> None:
        """Add new memories and log that they were created."""

    def update(self, memories: Sequence[Memory]) -> None:
        """Replace stored memories by these; the caller logs why."""

    def forget(self, ids: Sequence[str]) -> None:
        """Take memories out of every search, keeping what history needs; the caller logs it."""

    def purge(self, selection: Selection | str, *, at: datetime) -> int:
        """Erase the memory with an id, or the selected ones, forgotten too, with their history; log and count it."""

    def log(self, changes: Sequence[Change]) -> None:
        """Append changes; their sequence numbers are given by the store."""

    def link(self, link: Link) -> tuple[Link, bool]:
        """Add a link unless it is there; return the stored one, and whether it is new."""

    def unlink(self, from_id: str, to_id: str, relation: str) -> bool:
        """Remove a link, and tell whether it was there."""


class Store(Protocol):
    """Keep memories durably: what a transaction acknowledged survives the loss of power."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Open a transaction; leaving it normally keeps its changes, an exception undoes them."""

    def get(self, id: str) -> Memory | None:
        """Return the memory with this id."""

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[Memory, float]]:
        """Return the best selected memories that hold any of the terms, with their BM25 score."""

    def page(self, selection: Selection, *, size: int, after: int) -> tuple[list[Memory], int | None]:
        """Return the selected memories that arrived after a sequence number, and where the next page starts."""

    def count(self, selection: Selection) -> int:
        """Count the selected memories."""

    def tally(self, selection: Selection, field: str) -> dict[str | None, int]:
        """Count the selected memories by the values of a field."""

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last states by the sequence number of their creation."""

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """Return the changes of all memories after a sequence number, oldest first."""

    def links(self, id: str) -> list[Link]:
        """Return the links between a memory and others that are not forgotten."""

    def stats(self) -> dict[str, int]:
        """Count memories, forgotten ones, changes, links, and the bytes they take."""

    def scrub(self) -> None:
        """Overwrite whatever purged memories left behind."""

    def backup(self, target: Path) -> None:
        """Write a consistent copy to a new file, while the store is in use."""

    def check(self, *, mend: bool, progress: Progress) -> list[Finding]:
        """Compare everything derived with the memories; mend what can be mended when asked to."""

    def close(self) -> None:
        """Let go of the store."""
