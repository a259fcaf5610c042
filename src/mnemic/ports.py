"""Ports: the interfaces of the core that adapters implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.change import Change, Link, Use
    from mnemic.model.filter import Selection
    from mnemic.model.health import Finding
    from mnemic.model.memory import Memory
    from mnemic.model.message import Message
    from mnemic.model.session_rows import SessionRows

    Progress = Callable[[str, int, int], None]
    """A callback that gets the current activity, the amount done and the total."""

    Vectors = Mapping[str, NDArray[np.float32]]
    """Vectors by the id of their memory."""


def silent(activity: str, done: int, total: int) -> None:
    """Show no progress."""


class Embedder(Protocol):
    """A model that turns text into vectors; texts of similar meaning get similar vectors."""

    @property
    def name(self) -> str:
        """The name of the embedder; only vectors from the same name are comparable."""

    @property
    def dimension(self) -> int:
        """The number of dimensions of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, or zeros for a text with nothing to embed."""


class Reranker(Protocol):
    """A model that scores how well texts answer a query."""

    @property
    def name(self) -> str:
        """The name of the reranker."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score in [0, 1] for each text."""


Shape = TypeVar("Shape")
"""A dataclass that a language model fills."""


class Llm(Protocol):
    """A language model; every failure is a `ModelError`."""

    @property
    def name(self) -> str:
        """The name of the model."""

    def answer(self, messages: Sequence[Message]) -> str:
        """Return the answer to a conversation."""

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Yield the answer to a conversation in parts."""

    def structured(self, messages: Sequence[Message], type_: type[Shape]) -> Shape:
        """Return the answer to a conversation as a dataclass of this type."""


class Transaction(Protocol):
    """Changes to a store that are committed together, or not at all."""

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories with these ids, by id."""

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last state per creation, by that change's number."""

    def twins(self, digest: bytes) -> list[Memory]:
        """Return the memories outside sessions with a digest, in order of arrival."""

    def select(self, selection: Selection) -> Sequence[str]:
        """Return the ids of the selected memories, in order of arrival."""

    def insert(self, memories: Sequence[Memory], vectors: Vectors, digests: Mapping[str, bytes] | None = None) -> None:
        """Add new memories with their vectors, and log their creation.

        `digests` are those of `rules.repeats` by id, as far as they are already computed.
        """

    def update(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Replace stored memories, and their vectors if any are passed; the caller logs the change."""

    def forget(self, ids: Sequence[str]) -> None:
        """Remove memories from every search, keeping their history; the caller logs the change."""

    def purge(self, selection: Selection | str, *, at: datetime) -> int:
        """Erase the memory with an id, or the selected ones, forgotten or not, with history; log and count them."""

    def use(self, ids: Sequence[str], at: datetime) -> None:
        """Record that memories were used; unknown ids are ignored."""

    def log(self, changes: Sequence[Change]) -> None:
        """Append changes; the store assigns their sequence numbers."""

    def mark(self, name: str) -> str | None:
        """Return the text stored under a name by `set_mark`."""

    def set_mark(self, name: str, value: str | None) -> None:
        """Store a text under a name; None removes it."""

    def link(self, link: Link) -> tuple[Link, bool]:
        """Add a link unless it exists; return the stored link, and whether it is new."""

    def unlink(self, from_id: str, to_id: str, relation: str) -> bool:
        """Remove a link; return whether it existed."""


class View(Protocol):
    """A snapshot of a store for searching; memories are identified by number until they are loaded."""

    def frequencies(self, terms: Sequence[str], selection: Selection) -> tuple[int, dict[str, int]]:
        """Return the number of selected memories, and how many of them contain each term."""

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return the numbers and BM25 scores of the best selected memories that contain any of the terms, best first.

        Terms are those of `rules.language.terms`. The statistics of BM25 (number of memories, document frequencies,
        lengths) are those of the selected memories alone, so that one user's memories never affect another's scores. k1
        is 1.2 and b is 0.75; a term in n of N memories weighs log((N - n + 0.5) / (n + 0.5)), at least 1e-6. Equal
        scores are ordered by arrival, newest first.
        """

    def by_vector(
        self, vector: NDArray[np.float32], selection: Selection, limit: int, also: Sequence[int] = ()
    ) -> list[tuple[int, float]]:
        """Return the numbers and cosines of the selected memories nearest to a vector, and of those in `also`."""

    def has_turns(self, selection: Selection) -> bool:
        """Return whether any of the selected memories is a turn of a session."""

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each memory in its session; memories outside sessions are left out."""

    def session_rows(self, numbers: Sequence[int], *, vectors: bool) -> SessionRows:
        """Return the session rows of memories, in any order; without `vectors`, those are empty."""

    def memories(self, numbers: Sequence[int], selection: Selection) -> dict[int, Memory]:
        """Return the selected memories with these numbers, by number."""


class Store(Protocol):
    """Memories on durable storage: committed transactions survive a power failure."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """Open a transaction; leaving it normally commits, an exception rolls back.

        A transaction that is not durable does not wait for the disk: it survives a crash of the program, but a power
        failure may undo it completely, with all later transactions.
        """

    def view(self) -> AbstractContextManager[View]:
        """Open a view: all its answers come from one snapshot."""

    def check_model(self) -> None:
        """Raise an error if the stored vectors come from another embedder."""

    def get(self, id: str) -> Memory | None:
        """Return the memory with this id, or None."""

    def page(self, selection: Selection, *, size: int, after: int) -> tuple[list[Memory], int | None]:
        """Return the selected memories that arrived after a sequence number, and where the next page starts."""

    def count(self, selection: Selection) -> int:
        """Count the selected memories."""

    def tally(self, selection: Selection, field: str) -> dict[str | None, int]:
        """Count the selected memories by the values of a field."""

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last state per creation, by that change's number."""

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """Return the changes of all memories after a sequence number, oldest first."""

    def uses(self, ids: Sequence[str]) -> dict[str, Use]:
        """Return the use counts and last uses of memories; those never used are left out."""

    def links(self, id: str | None, relation: str | None = None) -> list[Link]:
        """Return the links of one or all memories, with one or any relation, except of forgotten memories."""

    def stats(self) -> dict[str, int]:
        """Count memories, forgotten memories, changes, links and bytes."""

    def close(self) -> None:
        """Close the store."""


@runtime_checkable
class Maintenance(Protocol):
    """The optional maintenance methods of a store; `Mind` needs them for backup and doctor."""

    def scrub(self) -> None:
        """Overwrite the remains of purged memories on disk."""

    def backup(self, target: Path) -> None:
        """Write a consistent copy to a new file; the store may stay in use."""

    def check(self, *, mend: bool, progress: Progress) -> list[Finding]:
        """Compare all derived data with the memories; with `mend`, repair what can be repaired."""


class ReindexTransaction(Transaction, Protocol):
    """A transaction in which the vectors of all memories can be replaced."""

    def add_vectors(self, vectors: Sequence[tuple[Memory, NDArray[np.float32]]]) -> None:
        """Add the vectors of memories that have none yet and whose text is unchanged."""

    def without_vector(self, *, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return memories after a number that have no vector of this store's model, with their numbers."""

    def make_model_current(self) -> None:
        """Search the vectors of this store's model from now on, and delete those of other models."""


class FullStore(Store, Maintenance, Protocol):
    """A store that can also be maintained and reindexed."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[ReindexTransaction]:
        """Open a transaction, as `Store` does."""
