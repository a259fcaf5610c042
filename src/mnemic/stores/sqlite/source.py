"""The SQLite store as its derived index is fed from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.sqlite import parameter_batches, placeholders
from mnemic.stores.index import files as index_files
from mnemic.stores.index.source import ALWAYS, NEVER, State
from mnemic.stores.sqlite import files, vectors
from mnemic.stores.sqlite.rows import BEGAN_AT
from mnemic.stores.sqlite.schema import LAST_SEQ

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mnemic.model.embedding import EmbeddingModel
    from mnemic.stores.index.source import Row

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
    """A store as one connection sees it; see `mnemic.stores.index.source.Source`."""

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
