"""One state of a store, as recall searches it."""

from __future__ import annotations

import operator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from recollect.model.turns import Turns
from recollect.rules.question import worth_searching
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
    from recollect.stores.sqlite.part import Part, Picked, Scored


class SqliteView:
    """Search an SQLite store; see `recollect.ports.View`."""

    def __init__(self, connection: sqlite3.Connection, index: Index) -> None:
        self._connection = connection
        self._index = index
        self._entries: dict[str, list[tuple[int, int]]] = {}
        self._selection: Selection | None = None
        self._selected: list[tuple[Part, Picked]] = []
        self._counts: dict[str, float] = {}

    def frequencies(self, terms: Sequence[str], selection: Selection) -> tuple[int, dict[str, float]]:
        """Return how many memories are selected, and about how many of them hold each term."""
        parts = self._picked(selection)
        if unseen := [term for term in terms if term not in self._counts]:
            entries = zip(*self._entries_of(unseen).values(), strict=True)
            counts = [0.0] * len(unseen)
            for (part, picked), held in zip(parts, entries, strict=True):
                counts = list(map(operator.add, counts, part.frequencies(held, picked)))
            self._counts |= zip(unseen, counts, strict=True)
        return sum(len(picked.rows) for _, picked in parts), {term: self._counts[term] for term in terms}

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return the numbers of the best selected memories that hold any of the terms, with their BM25 score.

        Terms that a large share of many memories hold are left out when rarer ones are held too.
        """
        everywhere = {term: sum(stop - start for start, stop in held) for term, held in self._entries_of(terms).items()}
        terms = worth_searching(terms, sum(len(part.columns) for part in self._parts), everywhere)
        total, counts = self.frequencies(terms, selection)
        weights = [weight(counts[term], total) for term in terms]
        parts = self._picked(selection)
        usual_length = max(1, sum(part.length(picked) for part, picked in parts)) / max(1, total)
        entries = zip(*(self._entries[term] for term in terms), strict=True)
        found = (
            part.best_by_words(held, weights, usual_length, picked, limit)
            for (part, picked), held in zip(parts, entries, strict=True)
        )
        return _best(found, limit)

    def by_vector(
        self, vector: NDArray[np.float32], selection: Selection, limit: int, also: Sequence[int] = ()
    ) -> list[tuple[int, float]]:
        """Return the numbers of the selected memories nearest to a vector, with their cosine."""
        if not self._has_vectors:
            return []
        wanted = np.array(also, np.int64)
        found = (part.nearest(vector, picked.rows, limit, wanted) for part, picked in self._picked(selection))
        return _best(found, limit, also)

    def has_turns(self, selection: Selection) -> bool:
        """Tell whether any of the selected memories is a turn of a session."""
        return any(part.has_turns_in(picked) for part, picked in self._picked(selection))

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

    def _entries_of(self, terms: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
        """Return the entries of terms in every part; they are remembered."""
        if unseen := [term for term in terms if term not in self._entries]:
            keys = keys_of(unseen)
            found = [part.columns.postings.entries(keys) for part in self._parts]
            self._entries |= {term: [held[place] for held in found] for place, term in enumerate(unseen)}
        return {term: self._entries[term] for term in terms}

    def _picked(self, selection: Selection) -> list[tuple[Part, Picked]]:
        """Return each part with its selected rows; those of the last selection are remembered."""
        if self._selection is not selection:
            passing = None if selection.where is None else self._index.passing(self._connection, selection)
            self._selected = [(part, part.selected(selection, passing)) for part in self._parts]
            self._selection, self._counts = selection, {}
        return self._selected


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
