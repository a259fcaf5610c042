"""Give every memory a vector of another embedder, while others go on reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.core.vectors import vectors_of_memories

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder, FullStore, Progress

_BATCH = 500
_LAST = 20
"""How many memories may be embedded while others wait, so that those who keep writing cannot put off the end."""


def fill(store: FullStore, embedder: Embedder, *, progress: Progress) -> int:
    """Embed every memory that lacks a vector of this embedder, then search by these; return how many were embedded.

    The store is opened for this embedder. What is embedded stays: after an interruption it goes on from there.
    Programs that use the old embedder work on until the switch, and are then told to open the mind again.
    """
    total, embedded, after = store.stats()["memories"], 0, 0
    while True:
        progress("embedding", embedded, max(embedded, total))
        with store.transaction() as transaction:
            batch = transaction.without_vector(after=after, limit=_BATCH)
            if len(batch) <= _LAST:
                rest = transaction.without_vector(after=0, limit=_LAST + 1)
                if len(rest) <= _LAST:
                    transaction.add_vectors(_embedded(embedder, rest))
                    transaction.make_model_current()
                    return embedded + len(rest)
        vectors = _embedded(embedder, batch)
        with store.transaction() as transaction:
            transaction.add_vectors(vectors)
        embedded, after = embedded + len(batch), batch[-1][0] if len(batch) == _BATCH else 0


def _embedded(embedder: Embedder, found: Sequence[tuple[int, Memory]]) -> list[tuple[Memory, NDArray[np.float32]]]:
    memories = [memory for _, memory in found]
    vectors = vectors_of_memories(embedder, memories)
    return [(memory, vectors[memory.id]) for memory in memories]
