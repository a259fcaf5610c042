"""Whether everything in the file agrees with the memories, and how to mend what does not."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from recollect.model.health import Finding
from recollect.stores.sqlite import rows, schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.ports import Progress
    from recollect.stores.sqlite.connections import Connections

_BATCH = 1000
_RESTORE = "restore a backup with `recollect restore`"
_MEND = "run `recollect doctor --mend`"


def examine(connections: Connections, *, mend: bool, progress: Progress) -> list[Finding]:
    """Run every check, oldest layer first; a damaged file ends the examination."""
    findings = []
    for place, (name, check, cure) in enumerate(_CHECKS):
        progress(name, place, len(_CHECKS))
        with connections.snapshot() as connection:
            problem = check(connection)
        mended = False
        if problem and mend and cure is not None:
            with connections.write() as connection:
                cure(connection)
            mended = True
        remedy = None if problem is None or mended else (_MEND if cure is not None else _RESTORE)
        findings.append(Finding(name, problem, remedy, mended))
        if name == "file" and problem:
            break
    progress("done", len(_CHECKS), len(_CHECKS))
    return findings


def _file(connection: sqlite3.Connection) -> str | None:
    try:
        verdict: str = connection.execute("PRAGMA integrity_check(3)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if verdict == "ok" else verdict


def _rows(connection: sqlite3.Connection) -> str | None:
    """Read every memory back and compare what is worked out from it."""
    wrong = 0
    for row in connection.execute(f"SELECT {rows.FIELDS}, seq, digest FROM memories"):
        try:
            wrong += rows.to_row(row[-2], rows.to_memory(row))[-1] != row[-1]
        except (ValueError, TypeError):
            wrong += 1
    return f"{wrong} memories cannot be read back as they were written" if wrong else None


def _full_text(connection: sqlite3.Connection) -> str | None:
    """Index every memory afresh on the side and compare the two indexes entry by entry."""
    side = sqlite3.connect(":memory:", isolation_level=None)
    try:
        side.execute("BEGIN")
        schema.run(side, schema.FULL_TEXT)
        _index_all(connection, side)
        side.execute("COMMIT")
        wanted, present = _entries(side), _entries(connection)
        missing, extra = len(wanted - present), len(present - wanted)
    finally:
        side.close()
    return f"{missing} memories are not indexed rightly, {extra} entries belong to none" if missing or extra else None


def _entries(connection: sqlite3.Connection) -> set[tuple[int, int]]:
    """Return a fingerprint of each document in the full-text index."""
    prints: dict[int, int] = {}
    for document, *entry in connection.execute("SELECT doc, term, col, offset FROM entries"):
        prints[document] = prints.get(document, 0) ^ hash(tuple(entry))
    return set(prints.items())


def rebuild_full_text(connection: sqlite3.Connection) -> None:
    """Index every memory afresh."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    _index_all(connection, connection)


def _index_all(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    reading = source.execute(f"SELECT {rows.FIELDS}, seq FROM memories ORDER BY seq")
    while batch := reading.fetchmany(_BATCH):
        target.executemany(
            "INSERT INTO words (rowid, scope, terms) VALUES (?, ?, ?)",
            [rows.to_words(row[-1], rows.to_memory(row)) for row in batch],
        )


_ORPHANED_CHANGES = """
    FROM changes WHERE kind != 'purged' AND memory_id NOT IN (SELECT id FROM memories)
    AND memory_id NOT IN (SELECT id FROM forgotten)
"""


def _history(connection: sqlite3.Connection) -> str | None:
    orphaned = connection.execute(f"SELECT count(*) {_ORPHANED_CHANGES}").fetchone()[0]
    return f"{orphaned} changes belong to no memory" if orphaned else None


def _mend_history(connection: sqlite3.Connection) -> None:
    connection.execute(f"DELETE {_ORPHANED_CHANGES}")


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
    return "purged memories have left bytes in the file" if pending else None


def _nothing(connection: sqlite3.Connection) -> None:
    """Leave it to the store, which scrubs outside a transaction."""


_CHECKS: tuple[
    tuple[str, Callable[[sqlite3.Connection], str | None], Callable[[sqlite3.Connection], None] | None], ...
] = (
    ("file", _file, None),
    ("memories", _rows, None),
    ("full text", _full_text, rebuild_full_text),
    ("history", _history, _mend_history),
    ("links", _links, _mend_links),
    ("purged text", _purged, _nothing),
)
