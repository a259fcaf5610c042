"""One state of a store, as recall searches it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from recollect.model.turns import Turns
from recollect.stores.sqlite.postings import keys_of, weight
from recollect.stores.sqlite.rows import FIELDS, to_memory
from recollect.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from recollect.model.filter import Selection
    from recollect.model.memory import Memory
    from recollect.stores.sqlite.index import Index
    from recollect.stores.sqlite.part import Part, Scored


class SqliteView:
    """Search an SQLite store; see `recollect.ports.View`."""

    def __init__(self, connection: sqlite3.Connection, index: Index) -> None:
        self._connection = connection
        self._index = index
        self._entries: dict[str, list[tuple[int, int]]] = {}
        self._frequencies: dict[str, int] = {}
        self._selected: tuple[Selection, list[NDArray[np.intp]]] | None = None

    def frequencies(self, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """Return how many memories there are, and how many of them hold each term."""
        if unseen := [term for term in terms if term not in self._entries]:
            self._look_up(unseen)
        total = sum(len(part.living()) for part in self._parts)
        return total, {term: self._frequencies[term] for term in terms}

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return the numbers of the best selected memories that hold any of the terms, with their BM25 score."""
        total, frequencies = self.frequencies(terms)
        weights = [weight(frequencies[term], total) for term in terms]
        usual_length = max(1, sum(part.length for part in self._parts)) / max(1, total)
        entries = zip(*(self._entries[term] for term in terms), strict=True)
        found = (
            part.best_by_words(held, weights, usual_length, rows, limit)
            for part, held, rows in zip(self._parts, entries, self._rows(selection), strict=True)
        )
        return _best(found, limit)

    def by_vector(
        self, vector: NDArray[np.float32], selection: Selection, limit: int, also: Sequence[int] = ()
    ) -> list[tuple[int, float]]:
        """Return the numbers of the selected memories nearest to a vector, with their cosine."""
        if not self._has_vectors:
            return []
        wanted = np.array(also, np.int64)
        found = (
            part.nearest(vector, rows, limit, wanted)
            for part, rows in zip(self._parts, self._rows(selection), strict=True)
        )
        return _best(found, limit, also)

    def has_turns(self, selection: Selection) -> bool:
        """Tell whether any of the selected memories is a turn of a session."""
        return any(
            part.has_turns and bool(part.columns.turns[rows].any())
            for part, rows in zip(self._parts, self._rows(selection), strict=True)
        )

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each of these memories in its session; only turns are in the answer."""
        return self._index.neighbours(numbers) if any(part.has_turns for part in self._parts) else {}

    def turns(self, numbers: Sequence[int], *, vectors: bool) -> Turns:
        """Return where these memories stand among the sessions."""
        wanted = np.array(numbers, np.int64)
        found = [part.turns(wanted, vectors=vectors) for part in self._parts]
        return Turns(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def memories(self, numbers: Sequence[int], selection: Selection) -> dict[int, Memory]:
        """Return the memories with these numbers that are selected, by number."""
        condition = Condition(selection)
        places = ", ".join("?" * len(numbers))
        found = self._connection.execute(
            f"SELECT {FIELDS}, seq FROM memories NOT INDEXED WHERE seq IN ({places}) AND {condition.sql}",
            (*numbers, *condition.values),
        ).fetchall()
        return {row[-1]: to_memory(row) for row in found}

    @cached_property
    def _held(self) -> tuple[list[Part], bool]:
        return self._index.parts(self._connection)

    @property
    def _parts(self) -> list[Part]:
        return self._held[0]

    @property
    def _has_vectors(self) -> bool:
        return self._held[1]

    def _look_up(self, terms: Sequence[str]) -> None:
        """Find the entries of terms in every part, and count them."""
        keys = keys_of(terms)
        found = [part.columns.postings.entries(keys) for part in self._parts]
        for place, term in enumerate(terms):
            entries = self._entries[term] = [held[place] for held in found]
            self._frequencies[term] = sum(part.frequency(held) for part, held in zip(self._parts, entries, strict=True))

    def _rows(self, selection: Selection) -> list[NDArray[np.intp]]:
        """Return the selected rows of each part; those of the last selection are remembered."""
        if self._selected is None or self._selected[0] is not selection:
            passing = None if selection.where is None else self._index.passing(self._connection, selection)
            self._selected = (selection, [part.selected(selection, passing) for part in self._parts])
        return self._selected[1]


def _best(found: Iterable[Scored], limit: int, also: Sequence[int] = ()) -> list[tuple[int, float]]:
    """Return the best of what the parts found, and those of `also`, best first, of equals the newest first."""
    parts = list(found)
    if not parts:
        return []
    numbers, scores = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((numbers, scores))[::-1]
    pairs = list(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))
    wanted = frozenset(also)
    return pairs[:limit] + [pair for pair in pairs[limit:] if pair[0] in wanted]
