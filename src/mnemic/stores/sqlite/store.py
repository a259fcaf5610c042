"""The SQLite store: rows, vectors, history and links in one file and one transaction."""

from __future__ import annotations

import dataclasses
import time
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from mnemic.errors import StoreBusy, StoreFull
from mnemic.model.change import Use
from mnemic.sqlite import LOCK_TIMEOUT
from mnemic.stores.index import files as index_files
from mnemic.stores.sqlite import backups, files, health, rows, schema, vectors
from mnemic.stores.sqlite.transaction import SqliteTransaction
from mnemic.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from mnemic.model.change import Change, Link
    from mnemic.model.embedding import EmbeddingModel
    from mnemic.model.filter import Selection
    from mnemic.model.health import Finding
    from mnemic.model.memory import Memory
    from mnemic.ports import Progress
    from mnemic.stores.index.index import Index
    from mnemic.stores.sqlite.filter_cache import FilterCache
    from mnemic.stores.sqlite.view import SqliteView


class SqliteStore:
    """Memories in one SQLite file; see `mnemic.ports.FullStore`."""

    def __init__(self, folder: Path | None, model: EmbeddingModel | None = None) -> None:
        """Open the store in a folder, creating it if needed; None keeps it in memory.

        `model` is the embedding model of the vectors; without one, the store keeps no vectors.
        """
        path = None if folder is None else files.make(folder)
        self._model = model
        self._connections = schema.open_connections(path)

    @cached_property
    def _index(self) -> Index:
        from mnemic.stores.index.index import Index  # loads numpy only when it is needed

        path = self._connections.path
        dimension = None if self._model is None else self._model.dimension
        return Index(dimension, path and path.with_name(index_files.NAME))

    @cached_property
    def _filters(self) -> FilterCache:
        from mnemic.stores.sqlite.filter_cache import FilterCache  # loads numpy only when it is needed

        return FilterCache()

    def check_model(self) -> None:
        """Raise an error if the stored vectors come from another embedder."""
        if self._model is not None:
            with self._connections.snapshot() as connection:
                vectors.check_current(connection, vectors.table_of(connection, self._model))

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[SqliteTransaction]:
        """Open a transaction; leaving it normally commits, an exception rolls back."""
        with self._connections.write(durable=durable) as connection:
            yield SqliteTransaction(connection, self._model)

    @contextmanager
    def view(self) -> Iterator[SqliteView]:
        """Open a view: all its answers come from one snapshot."""
        from mnemic.stores.sqlite.view import SqliteSource, SqliteView  # loads numpy only when it is needed

        with self._connections.snapshot() as connection:
            source = SqliteSource(connection, self._model, self._connections.path)
            yield SqliteView(connection, source, self._index, self._filters)

    def get(self, id: str) -> Memory | None:
        """Return the memory with this id, or None."""
        with self._connections.read() as connection:
            row = connection.execute(f"SELECT {rows.COLUMNS} FROM memories WHERE id = ?", (id,)).fetchone()
        return row and rows.to_memory(row)

    def page(self, selection: Selection, *, size: int, after: int) -> tuple[list[Memory], int | None]:
        """Return the selected memories that arrived after a sequence number, and where the next page starts."""
        condition = Condition(selection)
        with self._connections.read() as connection:
            page = connection.execute(
                f"SELECT {rows.COLUMNS}, seq FROM memories WHERE {condition.sql} AND seq > ? ORDER BY seq LIMIT ?",
                (*condition.values, after, size + 1),
            ).fetchall()
        has_more = len(page) > size
        return [rows.to_memory(row) for row in page[:size]], page[size - 1][-1] if has_more else None

    def count(self, selection: Selection) -> int:
        """Count the selected memories."""
        condition = Condition(selection)
        with self._connections.read() as connection:
            count: int = connection.execute(
                f"SELECT count(*) FROM memories WHERE {condition.sql}", condition.values
            ).fetchone()[0]
        return count

    def tally(self, selection: Selection, field: str) -> dict[str | None, int]:
        """Count the selected memories by the values of a field."""
        condition = Condition(selection)
        with self._connections.read() as connection:
            return dict(
                connection.execute(
                    f"SELECT {field}, count(*) FROM memories WHERE {condition.sql} GROUP BY 1 ORDER BY 2 DESC, 1",
                    condition.values,
                ).fetchall()
            )

    def changes(self, id: str) -> tuple[list[Change], Mapping[int, Memory]]:
        """Return the changes of one memory, and its last state per creation, by that change's number."""
        with self._connections.snapshot() as connection:
            return SqliteTransaction(connection, self._model).changes(id)

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """Return the changes of all memories after a sequence number, oldest first."""
        with self._connections.read() as connection:
            changes = connection.execute(
                """
                SELECT seq, id, 'created', created_at, NULL, NULL FROM memories WHERE seq > :seq
                UNION ALL SELECT seq, id, 'created', created_at, NULL, NULL FROM forgotten WHERE seq > :seq
                UNION ALL SELECT seq, memory_id, kind, at, before, after FROM changes WHERE seq > :seq
                ORDER BY seq LIMIT :limit
                """,
                {"seq": seq, "limit": limit},
            ).fetchall()
        return [rows.to_change(row) for row in changes]

    def uses(self, ids: Sequence[str]) -> dict[str, Use]:
        """Return the use counts and last uses of memories; those never used are left out."""
        with self._connections.snapshot() as connection:
            uses = {
                id: connection.execute(
                    "SELECT count, last_at FROM uses JOIN memories USING (seq) WHERE id = ?", (id,)
                ).fetchone()
                for id in ids
            }
        return {id: Use(row[0], datetime.fromisoformat(row[1])) for id, row in uses.items() if row is not None}

    def links(self, id: str | None, relation: str | None = None) -> list[Link]:
        """Return the links of one or all memories, with one or any relation, except of forgotten memories."""
        conditions = [
            *([] if id is None else ["(from_id = :id OR to_id = :id)"]),
            *([] if relation is None else ["relation = :relation"]),
        ]
        with self._connections.read() as connection:
            links = connection.execute(
                f"""
                SELECT from_id, to_id, relation, links.created_at FROM links
                JOIN memories AS a ON a.id = from_id JOIN memories AS b ON b.id = to_id
                WHERE {" AND ".join(conditions) or "TRUE"} ORDER BY links.created_at, from_id, to_id, relation
                """,
                {"id": id, "relation": relation},
            ).fetchall()
        return [rows.to_link(row) for row in links]

    def stats(self) -> dict[str, int]:
        """Count memories, forgotten memories, changes, links and bytes."""
        with self._connections.snapshot() as connection:
            counts = {
                table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("memories", "forgotten", "changes", "links")
            }
            pages, page_size = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
            )
        counts["changes"] += counts["memories"] + counts["forgotten"]
        return counts | {"bytes": pages * page_size}

    def scrub(self) -> None:
        """Overwrite the remains of purged memories on disk.

        VACUUM rewrites the file from the live rows, and the log with older pages is emptied.
        """
        try:
            with self._connections.write_without_transaction() as connection:
                mark = connection.execute("SELECT value FROM meta WHERE key = 'unscrubbed'").fetchone()
                connection.execute("VACUUM")
                _empty_log(connection)
                self._drop_index()
            with self._connections.write() as connection:
                connection.execute("DELETE FROM meta WHERE key = 'unscrubbed' AND value = ?", mark or ("",))
        except (StoreFull, StoreBusy) as error:
            cause = "the disk is full" if isinstance(error, StoreFull) else "other programs kept reading"
            raise type(error)(
                f"the memories are deleted, but bytes of them remain in the file because {cause}; "
                "run `mnemic doctor --mend` later to remove them"
            ) from error

    def _drop_index(self) -> None:
        if self._connections.path is not None:
            index_files.drop(self._connections.path.parent)

    def backup(self, target: Path) -> None:
        """Write a consistent copy to a new file; the store may stay in use."""
        with self._connections.read() as connection:
            backups.write(connection, target)

    def check(self, *, mend: bool, progress: Progress) -> list[Finding]:
        """Compare all derived data with the memories; with `mend`, repair what can be repaired."""
        findings = health.examine(self._connections, mend=mend, progress=progress)
        if not mend:
            return findings
        return [self._scrubbed(finding) if finding.check == "purged text" else finding for finding in findings]

    def _scrubbed(self, finding: Finding) -> Finding:
        """Mend the finding about purged text, which cannot run inside a transaction."""
        if finding.problem:
            self.scrub()
        return dataclasses.replace(finding, remedy=None, mended=finding.problem is not None)

    def close(self) -> None:
        """Close the store."""
        self._connections.close()


def _empty_log(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + LOCK_TIMEOUT
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > deadline:
            raise StoreBusy("other programs kept reading, so the old log could not be emptied")
        time.sleep(0.05)
