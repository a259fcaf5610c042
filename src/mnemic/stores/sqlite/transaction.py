"""Changes inside one SQLite transaction."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from mnemic.errors import StoreError
from mnemic.model.change import Change
from mnemic.model.time import stamp
from mnemic.sqlite import parameter_batches, placeholders
from mnemic.stores.sqlite import rows
from mnemic.stores.sqlite.schema import LAST_SEQ, renew_generation
from mnemic.stores.sqlite.vectors import all_tables, check_current, ensure_table, make_current
from mnemic.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.change import Link
    from mnemic.model.embedding import EmbeddingModel
    from mnemic.model.filter import Selection
    from mnemic.model.memory import Memory
    from mnemic.ports import Vectors

_PURGES_KEPT = timedelta(days=30)
"""How long the log of changes keeps the entry of a purge."""
_STATE = (
    f"SELECT {LAST_SEQ}, "
    "(SELECT value FROM meta JOIN models ON value = 'vectors_' || number WHERE key = 'vectors' "
    "AND name = ? AND dimension = ?)"
)
"""The last sequence number, and the current table of vectors if it is of the given model."""
_TWINS = f"SELECT {rows.COLUMNS} FROM memories WHERE session IS NULL AND digest = ? ORDER BY seq"
_PLACEHOLDERS = placeholders(rows.ALL_COLUMNS.split(", "))
_INSERT_MEMORY = f"INSERT INTO memories ({rows.ALL_COLUMNS}) VALUES ({_PLACEHOLDERS})"
_REPLACE_MEMORY = f"REPLACE INTO memories ({rows.ALL_COLUMNS}) VALUES ({_PLACEHOLDERS})"
_INSERT_CHANGE = "INSERT INTO changes (seq, memory_id, kind, at, before, after) VALUES (?, ?, ?, ?, ?, ?)"


class SqliteTransaction:
    """Changes to an SQLite store in one transaction; see `mnemic.ports.ReindexTransaction`."""

    def __init__(self, connection: sqlite3.Connection, model: EmbeddingModel | None) -> None:
        self._connection = connection
        self._model = model
        self._model_key = (None, None) if model is None else (model.name, model.dimension)

    def get(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories with these ids, by id."""
        return {memory.id: memory for _, memory in self._stored(ids)}

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last state per creation, by that change's number."""
        states = self._connection.execute(
            f"SELECT {rows.COLUMNS}, seq FROM memories WHERE id = ? "
            f"UNION ALL SELECT {rows.COLUMNS}, seq FROM forgotten WHERE id = ?",
            (id, id),
        ).fetchall()
        last_states = {row[-1]: rows.to_memory(row) for row in states}
        changes = [Change(seq, id, "created", memory.created_at, {}, {}) for seq, memory in last_states.items()]
        changes += map(
            rows.to_change,
            self._connection.execute(
                "SELECT seq, memory_id, kind, at, before, after FROM changes WHERE memory_id = ?", (id,)
            ),
        )
        return sorted(changes, key=lambda change: change.seq), last_states

    def twins(self, digest: bytes) -> list[Memory]:
        """Return the memories outside sessions with a digest, in order of arrival."""
        return [rows.to_memory(row) for row in self._connection.execute(_TWINS, (digest,))]

    def select(self, selection: Selection) -> Sequence[str]:
        """Return the ids of the selected memories, in order of arrival."""
        condition = Condition(selection)
        return [
            id
            for (id,) in self._connection.execute(
                f"SELECT id FROM memories WHERE {condition.sql} ORDER BY seq", condition.values
            )
        ]

    def insert(self, memories: Sequence[Memory], vectors: Vectors, digests: Mapping[str, bytes] | None = None) -> None:
        """Add new memories with their vectors, and log their creation."""
        if not memories:
            return
        last, table = self._connection.execute(_STATE, self._model_key).fetchone()
        numbered = list(enumerate(memories, start=last + 1))
        digests = digests or {}
        self._connection.executemany(
            _INSERT_MEMORY, [rows.to_row(seq, memory, digests.get(memory.id)) for seq, memory in numbered]
        )
        self._put_vectors([(seq, vectors[memory.id]) for seq, memory in numbered if memory.id in vectors], table)

    def update(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Replace stored memories, and their vectors if any are passed; the caller logs the change."""
        if not memories:
            return
        new = {memory.id: memory for memory in memories}
        for seq, old in list(self._stored(list(new))):
            memory = new[old.id]
            self._connection.execute(_REPLACE_MEMORY, rows.to_row(seq, memory))
            if memory.id in vectors:
                self._drop_vectors([seq])
                self._put_vectors([(seq, vectors[memory.id])])

    def without_vector(self, *, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return memories after a number that have no vector of this store's model, with their numbers."""
        memories = self._connection.execute(
            f"SELECT {rows.COLUMNS}, seq FROM memories AS m WHERE seq > ? "
            f"AND NOT EXISTS (SELECT 1 FROM {self._model_table()} WHERE seq = m.seq) ORDER BY seq LIMIT ?",
            (after, limit),
        )
        return [(row[-1], rows.to_memory(row)) for row in memories]

    def add_vectors(self, vectors: Sequence[tuple[Memory, NDArray[np.float32]]]) -> None:
        """Add the vectors of memories that have none yet and whose text is unchanged."""
        self._connection.executemany(
            f"INSERT OR IGNORE INTO {self._model_table()} SELECT seq, ? FROM memories WHERE id = ? AND text = ?",
            ((rows.to_blob(vector), memory.id, memory.text) for memory, vector in vectors),
        )

    def make_model_current(self) -> None:
        """Search the vectors of this store's model from now on, and delete those of other models."""
        make_current(self._connection, self._model_table())
        renew_generation(self._connection)

    def forget(self, ids: Sequence[str]) -> None:
        """Remove memories from every search, keeping their history; the caller logs the change."""
        for batch in parameter_batches(ids):
            self._drop_derived([seq for seq, _ in self._stored(batch)])
            self._drop_links(batch)
            self._connection.execute(
                f"INSERT INTO forgotten SELECT * FROM memories WHERE id IN ({placeholders(batch)})", batch
            )
            self._connection.execute(f"DELETE FROM memories WHERE id IN ({placeholders(batch)})", batch)

    def purge(self, selection: Selection | str, *, at: datetime) -> int:
        """Erase the memory with an id, or the selected ones, forgotten or not, with history; log and count them."""
        if isinstance(selection, str):
            sql, values = "id = ?", [selection]
        else:
            condition = Condition(selection)
            sql, values = condition.sql, condition.values
        rows_to_erase = self._connection.execute(
            f"SELECT seq, id FROM memories WHERE {sql} UNION ALL SELECT seq, id FROM forgotten WHERE {sql}", values * 2
        ).fetchall()
        ids = sorted({id for _, id in rows_to_erase})
        stored = dict(self._stored(ids))
        erased = {seq for seq, _ in rows_to_erase}
        gone = sorted(set(ids) - {memory.id for seq, memory in stored.items() if seq not in erased})
        self.log([Change(0, id, "purged", at, {}, {}) for id in gone])
        self._connection.execute(
            "DELETE FROM changes WHERE kind = 'purged' AND at < ? AND seq < (SELECT max(seq) FROM changes)",
            (stamp(at - _PURGES_KEPT),),
        )
        for seq, id in rows_to_erase:
            self._erase(seq, id, is_forgotten=seq not in stored)
        for table in ("memories", "forgotten"):
            self._connection.execute(
                f"UPDATE {table} SET superseded_by = NULL WHERE superseded_by IN (SELECT value FROM json_each(?))",
                (json.dumps(gone),),
            )
        if rows_to_erase:
            self._connection.execute("REPLACE INTO meta VALUES ('unscrubbed', ?)", (str(uuid4()),))
            renew_generation(self._connection)
        return len(ids)

    def use(self, ids: Sequence[str], at: datetime) -> None:
        """Record that memories were used; unknown ids are ignored."""
        self._connection.executemany(
            "INSERT INTO uses SELECT seq, 1, ? FROM memories WHERE id = ? ON CONFLICT (seq) "
            "DO UPDATE SET count = count + 1, last_at = max(last_at, excluded.last_at)",
            ((stamp(at), id) for id in ids),
        )

    def log(self, changes: Sequence[Change]) -> None:
        """Append changes; the store assigns their sequence numbers."""
        if not changes:
            return
        self._connection.executemany(
            _INSERT_CHANGE,
            (
                (
                    seq,
                    change.memory_id,
                    change.kind,
                    stamp(change.at),
                    rows.to_json(change.before) if change.before else None,
                    rows.to_json(change.after) if change.after else None,
                )
                for seq, change in enumerate(changes, start=self._next_seq())
            ),
        )

    def mark(self, name: str) -> str | None:
        """Return the text stored under a name by `set_mark`."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (f"mark {name}",)).fetchone()
        return None if row is None else str(row[0])

    def set_mark(self, name: str, value: str | None) -> None:
        """Store a text under a name; None removes it."""
        if value is None:
            self._connection.execute("DELETE FROM meta WHERE key = ?", (f"mark {name}",))
        else:
            self._connection.execute("REPLACE INTO meta VALUES (?, ?)", (f"mark {name}", value))

    def link(self, link: Link) -> tuple[Link, bool]:
        """Add a link unless it exists; return the stored link, and whether it is new."""
        added = self._connection.execute(
            "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?)",
            (link.from_id, link.to_id, link.relation, stamp(link.created_at)),
        )
        stored = self._connection.execute(
            "SELECT * FROM links WHERE from_id = ? AND to_id = ? AND relation = ?",
            (link.from_id, link.to_id, link.relation),
        ).fetchone()
        return rows.to_link(stored), added.rowcount > 0

    def unlink(self, from_id: str, to_id: str, relation: str) -> bool:
        """Remove a link; return whether it existed."""
        removed = self._connection.execute(
            "DELETE FROM links WHERE from_id = ? AND to_id = ? AND relation = ?", (from_id, to_id, relation)
        )
        return removed.rowcount > 0

    def _stored(self, ids: Sequence[str]) -> Iterator[tuple[int, Memory]]:
        for batch in parameter_batches(ids):
            for row in self._connection.execute(
                f"SELECT {rows.COLUMNS}, seq FROM memories WHERE id IN ({placeholders(batch)}) ORDER BY seq", batch
            ):
                yield row[-1], rows.to_memory(row)

    def _erase(self, seq: int, id: str, *, is_forgotten: bool) -> None:
        """Erase one memory and its changes; a forgotten memory's id may have been used again for another one."""
        run = self._connection.execute
        next_seq = run(
            "SELECT min(seq) FROM (SELECT seq, id FROM memories UNION ALL SELECT seq, id FROM forgotten) "
            "WHERE id = ? AND seq > ?",
            (id, seq),
        ).fetchone()[0]
        if not is_forgotten:
            self._drop_links([id])
            self._drop_derived([seq])
        run("DELETE FROM memories WHERE seq = ?", (seq,))
        run("DELETE FROM forgotten WHERE seq = ?", (seq,))
        run(
            "DELETE FROM changes WHERE memory_id = ? AND kind != 'purged' AND seq BETWEEN ? AND ?",
            (id, seq, next_seq or 2**62),
        )

    def _drop_links(self, ids: Sequence[str]) -> None:
        for id in ids:
            self._connection.execute("DELETE FROM links WHERE from_id = ? OR to_id = ?", (id, id))

    def _put_vectors(self, vectors: Sequence[tuple[int, NDArray[np.float32]]], table: str | None = None) -> None:
        """Add vectors to the current table, which must be of this store's model."""
        if vectors and self._model is not None:
            self._connection.executemany(
                f"INSERT INTO {table or self._current_table()} VALUES (?, ?)",
                [(seq, rows.to_blob(vector)) for seq, vector in vectors],
            )

    def _current_table(self) -> str:
        """Return the table of this store's model, made current if there is none; refuse another current table."""
        table = self._model_table()
        self._connection.execute("INSERT OR IGNORE INTO meta VALUES ('vectors', ?)", (table,))
        check_current(self._connection, table)
        return table

    def _model_table(self) -> str:
        if self._model is None:
            raise StoreError("the store was opened without an embedder; open it with one to keep vectors")
        return ensure_table(self._connection, self._model)

    def _drop_vectors(self, seqs: Sequence[int]) -> None:
        for table in all_tables(self._connection):
            self._connection.executemany(f"DELETE FROM {table} WHERE seq = ?", ((seq,) for seq in seqs))

    def _drop_derived(self, seqs: Sequence[int]) -> None:
        """Delete the vectors and uses of memories."""
        self._drop_vectors(seqs)
        self._connection.executemany("DELETE FROM uses WHERE seq = ?", ((seq,) for seq in seqs))

    def _next_seq(self) -> int:
        newest: int = self._connection.execute(f"SELECT {LAST_SEQ}").fetchone()[0]
        return newest + 1
