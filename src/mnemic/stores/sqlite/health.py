"""Health checks: whether the store is consistent, and how to mend it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mnemic.model.health import Finding
from mnemic.stores.index import files as index_files
from mnemic.stores.sqlite import rows, schema, vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemic.ports import Progress
    from mnemic.sqlite import Connections

_RESTORE = "restore a backup with `mnemic restore`"
_MEND = "run `mnemic doctor --mend`"


class Check(NamedTuple):
    """A check: its name, the function that finds a problem, the one that mends it, and the remedy to show."""

    name: str
    find_problem: Callable[[sqlite3.Connection], str | None]
    mend: Callable[[sqlite3.Connection], None] | None
    remedy: str


def examine(connections: Connections, *, mend: bool, progress: Progress) -> list[Finding]:
    """Run every check, the file first; if that is damaged, stop."""
    findings = []
    for index, check in enumerate(_CHECKS):
        progress(check.name, index, len(_CHECKS))
        with connections.snapshot() as connection:
            problem = check.find_problem(connection)
        mended = False
        if problem and mend and check.mend is not None:
            with connections.write() as connection:
                check.mend(connection)
                mended = check.find_problem(connection) is None
        findings.append(Finding(check.name, problem, check.remedy if problem and not mended else None, mended))
        if check.name == "file" and problem:
            break
    progress("done", len(_CHECKS), len(_CHECKS))
    return findings


def _file(connection: sqlite3.Connection) -> str | None:
    try:
        result: str = connection.execute("PRAGMA integrity_check(3)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if result == "ok" else result


def _rows(connection: sqlite3.Connection) -> str | None:
    """Read every memory and compare its digest."""
    unreadable = 0
    for row in connection.execute(f"SELECT {rows.COLUMNS}, seq, digest FROM memories"):
        try:
            unreadable += rows.to_row(row[-2], rows.to_memory(row))[-1] != row[-1]
        except (ValueError, TypeError):
            unreadable += 1
    return f"{unreadable} memories cannot be read back as they were written" if unreadable else None


def _vectors(connection: sqlite3.Connection) -> str | None:
    table = vectors.current_table(connection)
    if table is None:
        return None
    missing, orphaned, damaged = connection.execute(
        f"SELECT (SELECT count(*) FROM memories AS m WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE seq = m.seq)), "
        f"(SELECT count(*) FROM {table} AS v WHERE NOT EXISTS (SELECT 1 FROM memories WHERE seq = v.seq)), "
        f"(SELECT count(*) FROM {table} WHERE length(vector) != ?)",
        (2 * vectors.model_of(connection, table).dimension,),
    ).fetchone()
    if not missing and not orphaned and not damaged:
        return None
    return f"{missing} memories have no vector, {damaged} vectors are damaged, {orphaned} belong to no memory"


def _mend_vectors(connection: sqlite3.Connection) -> None:
    """Delete damaged vectors and those without a memory; `mnemic reindex` adds the missing ones."""
    for table in vectors.all_tables(connection):
        connection.execute(
            f"DELETE FROM {table} WHERE seq NOT IN (SELECT seq FROM memories) OR length(vector) != "
            "2 * (SELECT dimension FROM models WHERE number = ?)",
            (table.removeprefix("vectors_"),),
        )
    schema.renew_generation(connection)


def _index(connection: sqlite3.Connection) -> str | None:
    from mnemic.stores.index.index import Index  # loads numpy only when it is needed
    from mnemic.stores.sqlite.view import SqliteSource

    table = vectors.current_table(connection)
    model = None if table is None else vectors.model_of(connection, table)
    store = _path(connection)
    index = Index(None if model is None else model.dimension, store and store.with_name(index_files.NAME))
    return index.check(SqliteSource(connection, model, store))


def _mend_index(connection: sqlite3.Connection) -> None:
    """Delete the index file, and make every program rebuild its index."""
    if (store := _path(connection)) is not None:
        index_files.drop(store.parent)
    schema.renew_generation(connection)


def _path(connection: sqlite3.Connection) -> Path | None:
    name = connection.execute("PRAGMA database_list").fetchone()[2]
    return Path(name) if name else None


_ORPHANED_CHANGES = """
    FROM changes WHERE kind != 'purged' AND memory_id NOT IN (SELECT id FROM memories)
    AND memory_id NOT IN (SELECT id FROM forgotten)
"""


def _history(connection: sqlite3.Connection) -> str | None:
    orphaned = connection.execute(f"SELECT count(*) {_ORPHANED_CHANGES}").fetchone()[0]
    return f"{orphaned} changes belong to no memory" if orphaned else None


def _mend_history(connection: sqlite3.Connection) -> None:
    connection.execute(f"DELETE {_ORPHANED_CHANGES}")
    schema.renew_generation(connection)  # the last numbers may be assigned again


_DANGLING_LINKS = (
    "FROM links WHERE from_id NOT IN (SELECT id FROM memories UNION SELECT id FROM forgotten) "
    "OR to_id NOT IN (SELECT id FROM memories UNION SELECT id FROM forgotten)"
)


def _links(connection: sqlite3.Connection) -> str | None:
    dangling = connection.execute(f"SELECT count(*) {_DANGLING_LINKS}").fetchone()[0]
    return f"{dangling} links lead to no memory" if dangling else None


def _mend_links(connection: sqlite3.Connection) -> None:
    connection.execute(f"DELETE {_DANGLING_LINKS}")


def _purged(connection: sqlite3.Connection) -> str | None:
    pending = connection.execute("SELECT 1 FROM meta WHERE key = 'unscrubbed'").fetchone()
    return "the file still contains bytes of purged memories" if pending else None


_CHECKS = (
    Check("file", _file, None, _RESTORE),
    Check("memories", _rows, None, _RESTORE),
    Check("vectors", _vectors, _mend_vectors, f"run `mnemic reindex`; if something is damaged, {_MEND} first"),
    Check("index", _index, _mend_index, _MEND),
    Check("history", _history, _mend_history, _MEND),
    Check("links", _links, _mend_links, _MEND),
    Check("purged text", _purged, None, _MEND),
)
