"""One state of a store, as recall searches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.stores.sqlite import rows, words
from recollect.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from recollect.model.filter import Selection
    from recollect.model.memory import Memory
    from recollect.stores.sqlite.index import Index


class Frequencies:
    """Know how many memories hold a term, counted again when there are a tenth more or fewer of them."""

    def __init__(self) -> None:
        self._known: tuple[int, dict[str, int]] = (0, {})

    def of(self, connection: sqlite3.Connection, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """Return how many memories there are, and roughly how many of them hold each term."""
        counted, known = self._known
        total, _ = words.totals(connection)
        if abs(total - counted) > total // 10:
            _, known = self._known = (total, {})
        known |= words.frequencies(connection, [term for term in terms if term not in known])
        return total, {term: known[term] for term in terms}


class SqliteView:
    """Search an SQLite store; see `recollect.ports.View`."""

    def __init__(self, connection: sqlite3.Connection, index: Index | None, frequencies: Frequencies) -> None:
        self._connection = connection
        self._index = index
        self._frequencies = frequencies

    def frequencies(self, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """Return how many memories there are, and roughly how many of them hold each term."""
        return self._frequencies.of(self._connection, terms)

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return the numbers of the best selected memories that hold any of the terms, with their BM25 score."""
        _, frequencies = self.frequencies(terms)
        return words.best(self._connection, frequencies, selection, limit)

    def by_vector(self, vector: NDArray[np.float32], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return the numbers of the selected memories nearest to a vector, with their cosine."""
        return [] if self._index is None else self._index.nearest(self._connection, vector, selection, limit)

    def cosines(self, vector: NDArray[np.float32], numbers: Sequence[int]) -> dict[int, float]:
        """Return how near memories are to a vector, by number."""
        if self._index is None or not numbers:
            return {}
        return self._index.cosines(self._connection, vector, numbers)

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each of these memories in its session; only turns are in the answer."""
        return {} if self._index is None or not numbers else self._index.neighbours(self._connection, numbers)

    def memories(self, numbers: Sequence[int], selection: Selection) -> dict[int, Memory]:
        """Return the memories with these numbers that are selected, by number."""
        condition = Condition(selection)
        places = ", ".join("?" * len(numbers))
        found = self._connection.execute(
            f"SELECT {rows.FIELDS}, seq FROM memories WHERE seq IN ({places}) AND {condition.sql}",
            (*numbers, *condition.values),
        ).fetchall()
        return {row[-1]: rows.to_memory(row) for row in found}
