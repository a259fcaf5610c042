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
from mnemic.sqlite import PATIENCE
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
        """Open the store in a folder, making it when it is not there; None keeps it in memory.

        `model` names the embedder of the vectors that will be given; without one, the store keeps none.
        """
        path = None if folder is None else files.make(folder)
        self._model = model
        self._connections = schema.open_connections(path)

    @cached_property
    def _index(self) -> Index:
        from mnemic.stores.index.index import Index  # numpy is only loaded when it is needed

        path = self._connections.path
        dimension = None if self._model is None else self._model.dimension
        return Index(dimension, path and path.with_name(index_files.NAME))

    @cached_property
    def _filters(self) -> FilterCache:
        from mnemic.stores.sqlite.filter_cache import FilterCache  # numpy is only loaded when it is needed

        return FilterCache()

    def check_model(self) -> None:
        """Refuse to go on when the stored vectors come from another embedder."""
        if self._model is not None:
            with self._connections.snapshot() as connection:
                vectors.check_current(connection, vectors.table_of(connection, self._model))

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[SqliteTransaction]:
        """Open a transaction; leaving it normally keeps its changes, an exception undoes them."""
        with self._connections.write(durable=durable) as connection:
            yield SqliteTransaction(connection, self._model)

    @contextmanager
    def view(self) -> Iterator[SqliteView]:
        """Open a view: everything asked of it is answered from one state."""
        from mnemic.stores.sqlite.view import SqliteSource, SqliteView  # numpy is only loaded when it is needed

        with self._connections.snapshot() as connection:
            source = SqliteSource(connection, self._model, self._connections.path)
            yield SqliteView(connection, source, self._index, self._filters)

    def get(self, id: str) -> Memory | None:
        """Return the memory with this id."""
        with self._connections.read() as connection:
            row = connection.execute(f"SELECT {rows.COLUMNS} FROM memories WHERE id = ?", (id,)).fetchone()
        return row and rows.to_memory(row)

    def page(self, selection: Selection, *, size: int, after: int) -> tuple[list[Memory], int | None]:
        """Return the selected memories that arrived after a sequence number, and where the next page starts."""
        condition = Condition(selection)
        with self._connections.read() as connection:
            found = connection.execute(
                f"SELECT {rows.COLUMNS}, seq FROM memories WHERE {condition.sql} AND seq > ? ORDER BY seq LIMIT ?",
                (*condition.values, after, size + 1),
            ).fetchall()
        more = len(found) > size
        return [rows.to_memory(row) for row in found[:size]], found[size - 1][-1] if more else None

    def count(self, selection: Selection) -> int:
        """Count the selected memories."""
        condition = Condition(selection)
        with self._connections.read() as connection:
            counted: int = connection.execute(
                f"SELECT count(*) FROM memories WHERE {condition.sql}", condition.values
            ).fetchone()[0]
        return counted

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
        """Return the changes of one memory, and its last states by the sequence number of their creation."""
        with self._connections.snapshot() as connection:
            return SqliteTransaction(connection, self._model).changes(id)

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """Return the changes of all memories after a sequence number, oldest first."""
        with self._connections.read() as connection:
            found = connection.execute(
                """
                SELECT seq, id, 'created', created_at, NULL, NULL FROM memories WHERE seq > :seq
                UNION ALL SELECT seq, id, 'created', created_at, NULL, NULL FROM forgotten WHERE seq > :seq
                UNION ALL SELECT seq, memory_id, kind, at, before, after FROM changes WHERE seq > :seq
                ORDER BY seq LIMIT :limit
                """,
                {"seq": seq, "limit": limit},
            ).fetchall()
        return [rows.to_change(row) for row in found]

    def uses(self, ids: Sequence[str]) -> dict[str, Use]:
        """Return how often memories were used, and when last; those never used are left out."""
        with self._connections.snapshot() as connection:
            found = {
                id: connection.execute(
                    "SELECT count, last_at FROM uses JOIN memories USING (seq) WHERE id = ?", (id,)
                ).fetchone()
                for id in ids
            }
        return {id: Use(row[0], datetime.fromisoformat(row[1])) for id, row in found.items() if row is not None}

    def links(self, id: str | None, relation: str | None = None) -> list[Link]:
        """Return the links of a memory, or of all, of any or of one relation, between memories not forgotten."""
        conditions = [
            *([] if id is None else ["(from_id = :id OR to_id = :id)"]),
            *([] if relation is None else ["relation = :relation"]),
        ]
        with self._connections.read() as connection:
            found = connection.execute(
                f"""
                SELECT from_id, to_id, relation, links.created_at FROM links
                JOIN memories AS a ON a.id = from_id JOIN memories AS b ON b.id = to_id
                WHERE {" AND ".join(conditions) or "TRUE"} ORDER BY links.created_at, from_id, to_id, relation
                """,
                {"id": id, "relation": relation},
            ).fetchall()
        return [rows.to_link(row) for row in found]

    def stats(self) -> dict[str, int]:
        """Count memories, forgotten ones, changes, links, and the bytes they take."""
        with self._connections.snapshot() as connection:
            counted = {
                table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("memories", "forgotten", "changes", "links")
            }
            pages, page_size = (connection.execute(f"PRAGMA {of}").fetchone()[0] for of in ("page_count", "page_size"))
        counted["changes"] += counted["memories"] + counted["forgotten"]
        return counted | {"bytes": pages * page_size}

    def scrub(self) -> None:
        """Overwrite whatever purged memories left behind.

        VACUUM rewrites the file from what is alive, and the log that held older pages is emptied.
        """
        try:
            with self._connections.alone() as connection:
                mark = connection.execute("SELECT value FROM meta WHERE key = 'unscrubbed'").fetchone()
                connection.execute("VACUUM")
                _empty_log(connection)
                self._drop_index()
            with self._connections.write() as connection:
                connection.execute("DELETE FROM meta WHERE key = 'unscrubbed' AND value = ?", mark or ("",))
        except (StoreFull, StoreBusy) as error:
            obstacle = "the disk is full" if isinstance(error, StoreFull) else "other programs kept reading"
            raise type(error)(
                f"the memories are gone from every search, but bytes of them remain in the file because {obstacle}; "
                "run `mnemic doctor --mend` when that is over"
            ) from error

    def _drop_index(self) -> None:
        if self._connections.path is not None:
            index_files.drop(self._connections.path.parent)

    def backup(self, target: Path) -> None:
        """Write a consistent copy to a new file, while the store is in use."""
        with self._connections.read() as connection:
            backups.write(connection, target)

    def check(self, *, mend: bool, progress: Progress) -> list[Finding]:
        """Compare everything derived with the memories; mend what can be mended when asked to."""
        findings = health.examine(self._connections, mend=mend, progress=progress)
        if not mend:
            return findings
        return [self._scrubbed(finding) if finding.check == "purged text" else finding for finding in findings]

    def _scrubbed(self, finding: Finding) -> Finding:
        """Mend what needs to run outside a transaction."""
        if finding.problem:
            self.scrub()
        return dataclasses.replace(finding, remedy=None, mended=finding.problem is not None)

    def close(self) -> None:
        """Let go of the store."""
        self._connections.close()


def _empty_log(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + PATIENCE
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > deadline:
            raise StoreBusy("other programs read too long for the old log to be emptied")
        time.sleep(0.05)
