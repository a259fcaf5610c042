"""The SQLite store: rows, full text, history and links in one file and one transaction."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput, NotAStore, NotFound, ReadOnlyStore, StoreBusy
from recollect.stores.sqlite import health, rows, schema
from recollect.stores.sqlite.connections import PATIENCE, Connections, in_our_words
from recollect.stores.sqlite.transaction import SqliteTransaction
from recollect.stores.sqlite.where import Condition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from recollect.model.filter import Selection
    from recollect.model.health import Finding
    from recollect.model.memory import Change, Link, Memory
    from recollect.ports import Progress

FILE = "mind.db"


class SqliteStore:
    """Keep memories in one SQLite file; see `recollect.ports.Store`."""

    def __init__(self, folder: Path | None) -> None:
        """Open the store in a folder, making it when it is not there; None keeps it in memory."""
        path = None if folder is None else _store_file(folder)
        self._connections = Connections(path)

    @contextmanager
    def transaction(self) -> Iterator[SqliteTransaction]:
        """Open a transaction; leaving it normally keeps its changes, an exception undoes them."""
        with self._connections.write() as connection:
            yield SqliteTransaction(connection)

    def get(self, id: str) -> Memory | None:
        """Return the memory with this id."""
        with self._connections.read() as connection:
            row = connection.execute(f"SELECT {rows.FIELDS} FROM memories WHERE id = ?", (id,)).fetchone()
        return row and rows.to_memory(row)

    def by_words(self, terms: Sequence[str], selection: Selection, limit: int) -> list[tuple[Memory, float]]:
        """Return the best selected memories that hold any of the terms, with their BM25 score."""
        condition = Condition(selection)
        match = "terms : (" + " OR ".join(f'"{term}"' for term in terms) + ")"
        if selection.scope is not None:
            tokens = rows.scope_tokens(selection.scope)
            match = "scope : (" + " AND ".join(f'"{token}"' for token in tokens) + ") AND " + match
        with self._connections.read() as connection:
            found = connection.execute(
                f"""
                SELECT {rows.FIELDS}, best.score
                FROM (
                    SELECT words.rowid AS seq, -bm25(words, 0.0, 1.0) AS score
                    FROM words JOIN memories ON memories.seq = words.rowid
                    WHERE words MATCH ? AND {condition.sql}
                    ORDER BY score DESC, seq DESC LIMIT ?
                ) AS best JOIN memories USING (seq)
                ORDER BY best.score DESC, seq DESC
                """,
                (match, *condition.values, limit),
            ).fetchall()
        return [(rows.to_memory(row), row[-1]) for row in found]

    def page(self, selection: Selection, *, size: int, after: int) -> tuple[list[Memory], int | None]:
        """Return the selected memories that arrived after a sequence number, and where the next page starts."""
        condition = Condition(selection)
        with self._connections.read() as connection:
            found = connection.execute(
                f"SELECT {rows.FIELDS}, seq FROM memories WHERE {condition.sql} AND seq > ? ORDER BY seq LIMIT ?",
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
            return SqliteTransaction(connection).changes(id)

    def changes_since(self, seq: int, limit: int) -> list[Change]:
        """Return the changes of all memories after a sequence number, oldest first."""
        with self._connections.read() as connection:
            found = connection.execute(
                """
                SELECT seq, id, 'created', created_at, NULL, NULL FROM memories WHERE seq > ?1
                UNION ALL SELECT seq, id, 'created', created_at, NULL, NULL FROM forgotten WHERE seq > ?1
                UNION ALL SELECT seq, memory_id, kind, at, before, after FROM changes WHERE seq > ?1
                ORDER BY seq LIMIT ?2
                """,
                (seq, limit),
            ).fetchall()
        return [rows.to_change(row) for row in found]

    def links(self, id: str) -> list[Link]:
        """Return the links between a memory and others that are not forgotten."""
        with self._connections.read() as connection:
            found = connection.execute(
                """
                SELECT from_id, to_id, relation, links.created_at FROM links
                JOIN memories AS a ON a.id = from_id JOIN memories AS b ON b.id = to_id
                WHERE from_id = ? OR to_id = ? ORDER BY links.created_at, from_id, to_id, relation
                """,
                (id, id),
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
        return counted | {"bytes": pages * page_size}

    def scrub(self) -> None:
        """Overwrite whatever purged memories left behind.

        The full-text index drops deleted terms only when it is merged into one piece; VACUUM then rewrites the
        file from what is alive, and the log that held older pages is emptied.
        """
        with self._connections.write() as connection:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        with self._connections.alone() as connection:
            connection.execute("VACUUM")
            _empty_log(connection)
        with self._connections.write() as connection:
            connection.execute("DELETE FROM meta WHERE key = 'unscrubbed'")

    def backup(self, target: Path) -> None:
        """Write a consistent copy to a new file, while the store is in use."""
        partial = target.with_name(target.name + ".partial")
        try:
            if target.exists():
                raise InvalidInput("target", f"{target} exists already; choose a new file name")
            partial.unlink(missing_ok=True)
            with self._connections.read() as connection, in_our_words(partial):
                _copy(connection, partial)
            _sync(partial)
            os.link(partial, target)
        except OSError as error:
            raise InvalidInput("target", f"{target} cannot be written: {error.strerror}") from error
        finally:
            partial.unlink(missing_ok=True)
        _sync(target.parent)

    def check(self, *, mend: bool, progress: Progress) -> list[Finding]:
        """Compare everything derived with the memories; mend what can be mended when asked to."""
        findings = health.examine(self._connections, mend=mend, progress=progress)
        if mend and any(finding.check == "purged text" and finding.problem for finding in findings):
            self.scrub()
        return findings

    def close(self) -> None:
        """Let go of the store."""
        self._connections.close()


def restore(backup: Path, folder: Path, *, replace: bool = False) -> Path | None:
    """Put a backup into a folder, also while others use the store there; return where the old one was kept."""
    if not backup.is_file():
        raise NotFound(f"{backup} is not a file; give the file that `recollect backup` wrote")
    with in_our_words(backup):
        source = sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            if source.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
                raise NotAStore(f"{backup} is not a backup of a Recollect store")
            if (verdict := source.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise NotAStore(f"{backup} is damaged: {verdict}")
        finally:
            source.close()
    kept = None
    if (folder / FILE).exists():
        if not replace:
            raise InvalidInput("folder", f"{folder} holds a store already; ask to replace it, or choose another folder")
        kept = folder / time.strftime("before-restore-%Y%m%d-%H%M%S.db", time.gmtime())
        current = SqliteStore(folder)
        try:
            current.backup(kept)
        finally:
            current.close()
    _overwrite(_store_file(folder), backup)
    return kept


def _overwrite(path: Path, backup: Path) -> None:
    with in_our_words(path):
        source = sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        target = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()
    connections = Connections(path)
    try:
        with connections.write() as connection:
            schema.renew_generation(connection)
    finally:
        connections.close()


def _store_file(folder: Path) -> Path:
    try:
        if folder.exists() and not folder.is_dir():
            raise NotAStore(f"{folder} is a file; a mind lives in a folder of its own")
        new = not (folder / FILE).exists()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if new:
            (folder / FILE).touch(mode=0o600)
            _sync(folder)
            _sync(folder.absolute().parent)
    except OSError as error:
        raise ReadOnlyStore(f"{folder} cannot be written: {error.strerror}; choose another folder") from error
    return folder / FILE


def _copy(source: sqlite3.Connection, target: Path) -> None:
    copy = sqlite3.connect(target)
    try:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()


def _empty_log(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + PATIENCE
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > deadline:
            raise StoreBusy(
                "the memories are gone from every search, but other programs read too long for the old log to be "
                "overwritten; run `recollect doctor --mend` when they are done"
            )
        time.sleep(0.05)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
