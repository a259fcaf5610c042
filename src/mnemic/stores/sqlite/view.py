"""One state of a store, as its index is fed from it and as recall searches it."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from mnemic.model.session_rows import SessionRows
from mnemic.sqlite import parameter_batches, placeholders
from mnemic.stores.index import files as index_files
from mnemic.stores.index.columns import ALWAYS, NEVER, State
from mnemic.stores.index.postings import keys_of, weight
from mnemic.stores.sqlite import files, vectors
from mnemic.stores.sqlite.rows import BEGAN_AT, COLUMNS, to_memory
from mnemic.stores.sqlite.schema import LAST_SEQ
from mnemic.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mnemic.model.embedding import EmbeddingModel
    from mnemic.model.filter import Selection
    from mnemic.model.memory import Memory
    from mnemic.stores.index.columns import Row
    from mnemic.stores.index.index import Index
    from mnemic.stores.index.part import Part, Picked, Scored
    from mnemic.stores.index.postings import TermRows
    from mnemic.stores.sqlite.filter_cache import FilterCache

_STATE = f"""
    SELECT (SELECT value FROM meta WHERE key = 'generation'), (SELECT value FROM meta WHERE key = 'vectors'),
        (SELECT 'vectors_' || number FROM models WHERE name = ? AND dimension = ?), {LAST_SEQ}
"""
_ROWS = f"""
    SELECT m.seq, agent, user, session, tier, substr({BEGAN_AT}, 1, 26),
        substr(min(coalesce(expires_at, '{ALWAYS}'), CASE WHEN superseded_at IS NULL THEN '{ALWAYS}'
            WHEN superseded_at <= {BEGAN_AT} THEN '{NEVER}' ELSE superseded_at END), 1, 26), {{vector}}, text
    FROM memories AS m WHERE {{condition}} ORDER BY m.seq
"""
# CROSS JOIN has SQLite start from the few changes, not from the many memories before them.
_FORGOTTEN = "SELECT f.seq FROM changes AS c CROSS JOIN forgotten AS f ON f.id = c.memory_id WHERE c.seq > ?"
_CHANGED = (
    "SELECT DISTINCT m.seq FROM changes AS c CROSS JOIN memories AS m ON m.id = c.memory_id "
    "WHERE c.seq > ? AND m.seq <= ? AND kind NOT IN ('repeated', 'linked', 'unlinked')"
)


class SqliteSource:
    """A store as one connection sees it; see `mnemic.stores.index.columns.Source`."""

    def __init__(self, connection: sqlite3.Connection, model: EmbeddingModel | None, store: Path | None) -> None:
        """Read the state of a store; without a model, it has no vectors."""
        self._connection = connection
        self._store = store
        wanted = (None, None) if model is None else (model.name, model.dimension)
        generation, table, own, last_seq = connection.execute(_STATE, wanted).fetchone()
        if model is not None and own != table:
            vectors.check_current(connection, own)
        self.state = State(generation, None if model is None else table, last_seq)

    def rows(self) -> Iterator[Row]:
        """Return every memory, in the order of their numbers."""
        return self._select("TRUE", ())

    def rows_after(self, number: int) -> Iterator[Row]:
        """Return the memories with higher numbers, in order."""
        return self._select("m.seq > ?", (number,))

    def rows_of(self, numbers: Sequence[int]) -> Iterator[Row]:
        """Return the memories with these numbers, in order."""
        for batch in parameter_batches(sorted(numbers)):
            yield from self._select(f"m.seq IN ({placeholders(batch)})", batch)

    def forgotten_since(self, seq: int) -> list[int]:
        """Return the numbers of memories that were forgotten after a change."""
        return [number for (number,) in self._connection.execute(_FORGOTTEN, (seq,))]

    def changed_since(self, seq: int) -> list[int]:
        """Return the numbers of memories up to a change whose row changed after it."""
        return [number for (number,) in self._connection.execute(_CHANGED, (seq, seq))]

    def sync(self) -> None:
        """Have the log on the disk."""
        if self._store is not None:
            index_files.sync(self._store.with_name(files.LOG))

    def _select(self, condition: str, values: Iterable[int]) -> Iterator[Row]:
        table = self.state.vectors
        vector = "NULL" if table is None else f"(SELECT vector FROM {table} WHERE seq = m.seq)"
        return self._connection.execute(_ROWS.format(vector=vector, condition=condition), tuple(values))


class SqliteView:
    """One state of an SQLite store, to search in; see `mnemic.ports.View`."""

    def __init__(
        self, connection: sqlite3.Connection, source: SqliteSource, index: Index, filters: FilterCache
    ) -> None:
        self._connection = connection
        self._index = index
        self._filters = filters
        self._state = source.state
        self._parts, self._has_vectors = index.parts(source)
        self._selection: Selection | None = None
        self._selected: list[tuple[Part, Picked]] = []
        self._searched: tuple[Sequence[str], list[TermRows]] = ((), [])

    def frequencies(self, terms: Sequence[str], selection: Selection) -> tuple[int, dict[str, int]]:
        """Return how many memories are selected, and how many of them hold each term."""
        total = sum(len(picked.rows) for _, picked in self._picked(selection))
        return total, self._counts(terms, selection)

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return numbers and BM25 scores of the best selected memories that hold any of the terms, best first."""
        if not terms:
            return []
        counts, parts = self._counts(terms, selection), self._picked(selection)
        total = max(1, sum(len(picked.rows) for _, picked in parts))
        weights = np.array([weight(counts[term], total) for term in terms])
        usual_length = max(1, sum(part.length(picked) for part, picked in parts)) / total
        found = (
            part.best_by_words(term_rows, weights, usual_length, picked, limit)
            for (part, picked), term_rows in zip(parts, self._term_rows(terms, selection), strict=True)
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

    def session_rows(self, numbers: Sequence[int], *, vectors: bool) -> SessionRows:
        """Return where these memories stand among the sessions."""
        wanted = np.array(numbers, np.int64)
        found = [part.turns(wanted, vectors=vectors) for part in self._parts]
        return SessionRows(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def memories(self, numbers: Sequence[int], selection: Selection) -> dict[int, Memory]:
        """Return the memories with these numbers that are selected, by number."""
        condition = Condition(selection)
        found = self._connection.execute(
            f"SELECT {COLUMNS}, seq FROM memories NOT INDEXED "
            f"WHERE seq IN ({placeholders(numbers)}) AND {condition.sql}",
            (*numbers, *condition.values),
        ).fetchall()
        return {row[-1]: to_memory(row) for row in found}

    def _counts(self, terms: Sequence[str], selection: Selection) -> dict[str, int]:
        """Return how many of the selected memories hold each term."""
        columns = zip(*(rows.counts for rows in self._term_rows(terms, selection)), strict=True)
        return dict.fromkeys(terms, 0) | dict(zip(terms, map(sum, columns), strict=False))

    def _term_rows(self, terms: Sequence[str], selection: Selection) -> list[TermRows]:
        """Return the selected rows of each part that hold terms; those of the last search are kept."""
        parts = self._picked(selection)
        searched, found = self._searched
        if not terms or not parts:
            return []
        if not found or not set(terms) <= set(searched):
            keys = keys_of(terms)
            found = [part.columns.postings.find(keys, *picked) for part, picked in parts]
            searched = list(terms)
            self._searched = (searched, found)
        if list(terms) == searched:
            return found
        return [rows.only([searched.index(term) for term in terms]) for rows in found]

    def _picked(self, selection: Selection) -> list[tuple[Part, Picked]]:
        """Return each part with its selected rows; those of the last selection are remembered."""
        if self._selection is not selection:
            passing = None
            if selection.where is not None:
                passing = self._filters.numbers(self._connection, selection, self._state)
            self._selected = [(part, part.selected(selection, passing)) for part in self._parts]
            self._selection, self._searched = selection, ((), [])
        return self._selected


def _best(found: Iterable[Scored], limit: int, also: Sequence[int] = ()) -> list[tuple[int, float]]:
    """Return the best of what the parts found, and those of `also`, best first, of equals the newest first."""
    pairs: list[tuple[int, float]] = []
    for numbers, scores in found:
        pairs += zip(numbers.tolist(), scores.tolist(), strict=True)
    pairs.sort(reverse=True)
    pairs.sort(key=itemgetter(1), reverse=True)
    wanted = frozenset(also)
    return pairs[:limit] + [pair for pair in pairs[limit:] if pair[0] in wanted]
