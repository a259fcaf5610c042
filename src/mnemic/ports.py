"""What the core needs from outside: narrow interfaces that adapters implement."""

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
    """A function that is called with what is being done, how much of it is done, and how much there is."""

    Vectors = Mapping[str, NDArray[np.float32]]
    """Vectors by the id of their memory."""


def silent(doing: str, done: int, total: int) -> None:
    """Show no progress."""


class Embedder(Protocol):
    """A model that turns text into vectors; texts of similar meaning get vectors that are near."""

    @property
    def name(self) -> str:
        """The name of the embedder; vectors of one name are comparable."""

    @property
    def dimension(self) -> int:
        """Return how long a vector is."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text; a row of zeros where there is nothing to embed."""


class Reranker(Protocol):
    """A model that judges how well texts answer a question."""

    @property
    def name(self) -> str:
        """The name of the reranker."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score in [0, 1] for each text."""


Shape = TypeVar("Shape")
"""A dataclass that a language model is to fill."""


class Llm(Protocol):
    """A language model; whatever goes wrong with it is a `ModelError`."""

    @property
    def name(self) -> str:
        """The name of the model."""

    def answer(self, messages: Sequence[Message]) -> str:
        """Return the answer to a conversation."""

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Yield the answer to a conversation piece by piece."""

    def structured(self, messages: Sequence[Message], type_: type[Shape]) -> Shape:
        """Return the answer to a conversation as a dataclass of this type."""


class Transaction(Protocol):
    """Changes of a store that are kept together, or not at all."""

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories with these ids, by id."""

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last states by the sequence number of their creation."""

    def twins(self, digest: bytes) -> list[Memory]:
        """Return the stored memories with a digest, outside sessions, in order of arrival."""

    def select(self, selection: Selection) -> Sequence[str]:
        """Return the ids of the selected memories, in order of arrival."""

    def insert(self, memories: Sequence[Memory], vectors: Vectors, digests: Mapping[str, bytes] | None = None) -> None:
        """Add new memories with their vectors, and log that they were created.

        `digests` holds, by id, those of `rules.repeats` that are worked out already.
        """

    def update(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Replace stored memories by these, and the vectors of those given; the caller logs why."""

    def forget(self, ids: Sequence[str]) -> None:
        """Take memories out of every search, keeping what history needs; the caller logs it."""

    def purge(self, selection: Selection | str, *, at: datetime) -> int:
        """Erase the memory with an id, or the selected ones, forgotten too, with their history; log and count it."""

    def use(self, ids: Sequence[str], at: datetime) -> None:
        """Note that memories were used; those that are not there are passed over."""

    def log(self, changes: Sequence[Change]) -> None:
        """Append changes; their sequence numbers are given by the store."""

    def mark(self, name: str) -> str | None:
        """Return what was noted under a name for whoever goes on later."""

    def set_mark(self, name: str, value: str | None) -> None:
        """Note something under a name; None removes it."""

    def link(self, link: Link) -> tuple[Link, bool]:
        """Add a link unless it is there; return the stored one, and whether it is new."""

    def unlink(self, from_id: str, to_id: str, relation: str) -> bool:
        """Remove a link, and tell whether it was there."""


class View(Protocol):
    """One state of a store, to search in; memories go by their numbers until they are loaded."""

    def frequencies(self, terms: Sequence[str], selection: Selection) -> tuple[int, dict[str, int]]:
        """Return how many memories are selected, and how many of them hold each term."""

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return numbers and BM25 scores of the best selected memories that hold any of the terms, best first.

        Terms are those of `rules.language.terms`; a memory holds the terms of its text. All that BM25 counts (how many
        memories there are, how many hold a term, how long they are) is counted among the selected memories alone, so
        that nobody's memories change anybody's scores. k1 is 1.2 and b is 0.75; a term that n of N memories hold weighs
        log((N - n + 0.5) / (n + 0.5)), at least 1e-6. Of equals, the newest come first.
        """

    def by_vector(
        self, vector: NDArray[np.float32], selection: Selection, limit: int, also: Sequence[int] = ()
    ) -> list[tuple[int, float]]:
        """Return the numbers of the selected memories nearest to a vector, and of `also`, with their cosine.

        `also` are numbers of selected memories whose cosine is wanted, however far they are.
        """

    def has_turns(self, selection: Selection) -> bool:
        """Tell whether any of the selected memories is a turn of a session."""

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each of these memories in its session; only turns are in the answer."""

    def session_rows(self, numbers: Sequence[int], *, vectors: bool) -> SessionRows:
        """Return where these memories stand among the sessions, in any order; without `vectors`, those are empty."""

    def memories(self, numbers: Sequence[int], selection: Selection) -> dict[int, Memory]:
        """Return the memories with these numbers that are selected, by number."""


class Store(Protocol):
    """Memories on durable storage: what a transaction acknowledged survives a power failure."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """Open a transaction; leaving it normally keeps its changes, an exception undoes them.

        One that is not durable does not wait for the disk: the end of the program leaves it as it is, but a loss of
        power may undo it, whole, with all that came after it.
        """

    def view(self) -> AbstractContextManager[View]:
        """Open a view: everything asked of it is answered from one state."""

    def check_model(self) -> None:
        """Refuse to go on when the stored vectors come from another embedder."""

    def get(self, id: str) -> Memory | None:
        """Return the memory with this id."""

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

    def uses(self, ids: Sequence[str]) -> dict[str, Use]:
        """Return how often memories were used, and when last; those never used are left out."""

    def links(self, id: str | None, relation: str | None = None) -> list[Link]:
        """Return the links of a memory, or of all, of any or of one relation, between memories not forgotten."""

    def close(self) -> None:
        """Let go of the store."""


@runtime_checkable
class Maintenance(Protocol):
    """What a store may offer for its upkeep; without it `Mind` has no stats, backup and doctor."""

    def stats(self) -> dict[str, int]:
        """Count memories, forgotten ones, changes, links, and the bytes they take."""

    def scrub(self) -> None:
        """Overwrite whatever purged memories left behind."""

    def backup(self, target: Path) -> None:
        """Write a consistent copy to a new file, while the store is in use."""

    def check(self, *, mend: bool, progress: Progress) -> list[Finding]:
        """Compare everything derived with the memories; mend what can be mended when asked to."""


class ReindexTransaction(Transaction, Protocol):
    """A transaction in which the vectors of all memories can be replaced."""

    def add_vectors(self, vectors: Sequence[tuple[Memory, NDArray[np.float32]]]) -> None:
        """Add the vectors of memories that lack one and still have that text."""

    def without_vector(self, *, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return memories after a sequence number that lack a vector of this store's model, with their own number."""

    def make_model_current(self) -> None:
        """Search the vectors of this store's model from now on, and drop those of others."""


class FullStore(Store, Maintenance, Protocol):
    """A store that can also be maintained and reindexed."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[ReindexTransaction]:
        """Open a transaction, as `Store` does."""
