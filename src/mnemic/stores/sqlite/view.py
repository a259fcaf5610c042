"""A snapshot of the store: the source of its index, and the view that recall searches."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from mnemic.model.session_rows import SessionRows
from mnemic.sqlite import parameter_batches, placeholders
from mnemic.stores.index import files as index_files
from mnemic.stores.index.columns import FOREVER, NEVER, State
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
    from mnemic.stores.index.part import Part, Scored, SelectedRows
    from mnemic.stores.index.postings import TermMatches
    from mnemic.stores.sqlite.filter_cache import FilterCache

_STATE = f"""
    SELECT (SELECT value FROM meta WHERE key = 'generation'), (SELECT value FROM meta WHERE key = 'vectors'),
        (SELECT 'vectors_' || number FROM models WHERE name = ? AND dimension = ?), {LAST_SEQ}
"""
_ROWS = f"""
    SELECT m.seq, agent, user, session, tier, substr({BEGAN_AT}, 1, 26),
        substr(min(coalesce(expires_at, '{FOREVER}'), CASE WHEN superseded_at IS NULL THEN '{FOREVER}'
            WHEN superseded_at <= {BEGAN_AT} THEN '{NEVER}' ELSE superseded_at END), 1, 26), {{vector}}, text
    FROM memories AS m WHERE {{condition}} ORDER BY m.seq
"""
# CROSS JOIN makes SQLite start from the few changes, not from the many memories.
_FORGOTTEN = "SELECT f.seq FROM changes AS c CROSS JOIN forgotten AS f ON f.id = c.memory_id WHERE c.seq > ?"
_CHANGED = (
    "SELECT DISTINCT m.seq FROM changes AS c CROSS JOIN memories AS m ON m.id = c.memory_id "
    "WHERE c.seq > ? AND m.seq <= ? AND kind NOT IN ('repeated', 'linked', 'unlinked')"
)


class SqliteSource:
    """What the index reads from one snapshot; see `mnemic.stores.index.columns.Source`."""

    def __init__(self, connection: sqlite3.Connection, model: EmbeddingModel | None, store: Path | None) -> None:
        """Read the state of the snapshot; without a model, it has no vectors."""
        self._connection = connection
        self._store = store
        model_key = (None, None) if model is None else (model.name, model.dimension)
        generation, table, model_table, last_seq = connection.execute(_STATE, model_key).fetchone()
        if model is not None and model_table != table:
            vectors.check_current(connection, model_table)
        self.state = State(generation, None if model is None else table, last_seq)

    def rows(self) -> Iterator[Row]:
        """Return every memory, ordered by number."""
        return self._select("TRUE", ())

    def rows_after(self, number: int) -> Iterator[Row]:
        """Return the memories with higher numbers, in order."""
        return self._select("m.seq > ?", (number,))

    def rows_of(self, numbers: Sequence[int]) -> Iterator[Row]:
        """Return the memories with these numbers, in order."""
        for batch in parameter_batches(sorted(numbers)):
            yield from self._select(f"m.seq IN ({placeholders(batch)})", batch)

    def forgotten_since(self, seq: int) -> list[int]:
        """Return the numbers of memories forgotten after a change."""
        return [number for (number,) in self._connection.execute(_FORGOTTEN, (seq,))]

    def changed_since(self, seq: int) -> list[int]:
        """Return the numbers of memories that were created before a change and modified after it."""
        return [number for (number,) in self._connection.execute(_CHANGED, (seq, seq))]

    def sync(self) -> None:
        """Flush the write-ahead log to disk."""
        if self._store is not None:
            index_files.sync(self._store.with_name(files.LOG))

    def _select(self, condition: str, values: Iterable[int]) -> Iterator[Row]:
        table = self.state.vectors
        vector = "NULL" if table is None else f"(SELECT vector FROM {table} WHERE seq = m.seq)"
        return self._connection.execute(_ROWS.format(vector=vector, condition=condition), tuple(values))


class SqliteView:
    """A snapshot of an SQLite store for searching; see `mnemic.ports.View`."""

    def __init__(
        self, connection: sqlite3.Connection, source: SqliteSource, index: Index, filters: FilterCache
    ) -> None:
        self._connection = connection
        self._index = index
        self._filters = filters
        self._state = source.state
        self._parts, self._has_vectors = index.parts(source)
        self._selection: Selection | None = None
        self._selected: list[tuple[Part, SelectedRows]] = []
        self._matches: tuple[Sequence[str], list[TermMatches]] = ((), [])

    def frequencies(self, terms: Sequence[str], selection: Selection) -> tuple[int, dict[str, int]]:
        """Return the number of selected memories, and how many of them contain each term."""
        total = sum(len(selected.rows) for _, selected in self._selected_parts(selection))
        return total, self._counts(terms, selection)

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[int, float]]:
        """Return the numbers and BM25 scores of the best selected memories with any of the terms, best first."""
        if not terms:
            return []
        counts, parts = self._counts(terms, selection), self._selected_parts(selection)
        total = max(1, sum(len(selected.rows) for _, selected in parts))
        weights = np.array([weight(counts[term], total) for term in terms])
        average_length = max(1, sum(part.length(selected) for part, selected in parts)) / total
        results = (
            part.best_by_words(matches, weights, average_length, selected, limit)
            for (part, selected), matches in zip(parts, self._term_matches(terms, selection), strict=True)
        )
        return _best(results, limit)

    def by_vector(
        self, vector: NDArray[np.float32], selection: Selection, limit: int, also: Sequence[int] = ()
    ) -> list[tuple[int, float]]:
        """Return the numbers and cosines of the selected memories nearest to a vector, and of those in `also`."""
        if not self._has_vectors:
            return []
        also_numbers = np.array(also, np.int64)
        results = (
            part.nearest(vector, selected.rows, limit, also_numbers)
            for part, selected in self._selected_parts(selection)
        )
        return _best(results, limit, also)

    def has_turns(self, selection: Selection) -> bool:
        """Return whether any of the selected memories is a turn of a session."""
        return any(part.has_turns_in(selected) for part, selected in self._selected_parts(selection))

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each memory in its session; memories outside sessions are left out."""
        return self._index.neighbours(numbers) if any(part.has_turns for part in self._parts) else {}

    def session_rows(self, numbers: Sequence[int], *, vectors: bool) -> SessionRows:
        """Return the session rows of memories."""
        array = np.array(numbers, np.int64)
        parts = [part.session_columns(array, vectors=vectors) for part in self._parts]
        return SessionRows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def memories(self, numbers: Sequence[int], selection: Selection) -> dict[int, Memory]:
        """Return the selected memories with these numbers, by number."""
        condition = Condition(selection)
        rows = self._connection.execute(
            f"SELECT {COLUMNS}, seq FROM memories NOT INDEXED "
            f"WHERE seq IN ({placeholders(numbers)}) AND {condition.sql}",
            (*numbers, *condition.values),
        ).fetchall()
        return {row[-1]: to_memory(row) for row in rows}

    def _counts(self, terms: Sequence[str], selection: Selection) -> dict[str, int]:
        """Return how many of the selected memories contain each term."""
        columns = zip(*(matches.counts for matches in self._term_matches(terms, selection)), strict=True)
        return dict.fromkeys(terms, 0) | dict(zip(terms, map(sum, columns), strict=False))

    def _term_matches(self, terms: Sequence[str], selection: Selection) -> list[TermMatches]:
        """Return the matches of terms in the selected rows of each part; the last result is cached."""
        parts = self._selected_parts(selection)
        cached_terms, matches = self._matches
        if not terms or not parts:
            return []
        if not matches or not set(terms) <= set(cached_terms):
            keys = keys_of(terms)
            matches = [part.columns.postings.find(keys, *selected) for part, selected in parts]
            cached_terms = list(terms)
            self._matches = (cached_terms, matches)
        if list(terms) == cached_terms:
            return matches
        return [part_matches.only([cached_terms.index(term) for term in terms]) for part_matches in matches]

    def _selected_parts(self, selection: Selection) -> list[tuple[Part, SelectedRows]]:
        """Return each part with its selected rows; the last result is cached."""
        if self._selection is not selection:
            passing = None
            if selection.where is not None:
                passing = self._filters.numbers(self._connection, selection, self._state)
            self._selected = [(part, part.selected(selection, passing)) for part in self._parts]
            self._selection, self._matches = selection, ((), [])
        return self._selected


def _best(results: Iterable[Scored], limit: int, also: Sequence[int] = ()) -> list[tuple[int, float]]:
    """Return the best results of all parts, and those in `also`, best first; of equals, the newest first."""
    pairs: list[tuple[int, float]] = []
    for numbers, scores in results:
        pairs += zip(numbers.tolist(), scores.tolist(), strict=True)
    pairs.sort(reverse=True)
    pairs.sort(key=itemgetter(1), reverse=True)
    also_numbers = frozenset(also)
    return pairs[:limit] + [pair for pair in pairs[limit:] if pair[0] in also_numbers]
