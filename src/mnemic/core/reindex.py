"""Reindexing: new vectors for every memory from another embedder, while the store stays in use."""

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
"""The maximum number of memories embedded while writers wait, so that constant writing cannot delay the end."""


def fill(store: FullStore, embedder: Embedder, *, progress: Progress) -> int:
    """Embed every memory without a vector of this embedder, then switch the search to it; return how many.

    The store must be opened for this embedder. An interrupted run continues where it stopped. Programs with the old
    embedder keep working until the switch; after it they get an error that asks them to reopen the mind.
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


def _embedded(embedder: Embedder, numbered: Sequence[tuple[int, Memory]]) -> list[tuple[Memory, NDArray[np.float32]]]:
    memories = [memory for _, memory in numbered]
    vectors = vectors_of_memories(embedder, memories)
    return [(memory, vectors[memory.id]) for memory in memories]
