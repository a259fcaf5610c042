"""Opening an SQLite file, locking it for a transaction, and switching it to a write-ahead log."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0
"""Seconds to wait for another program's transaction."""

_CACHE_KIB = 16384


def connect(
    path: Path | None, *, synchronous: Literal["FULL", "NORMAL"] = "FULL", read_only: bool = False
) -> sqlite3.Connection:
    """Open a file, or a database in memory, for use by several threads in turn; transactions are begun by hand."""
    connection = sqlite3.connect(
        ":memory:" if path is None else path,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute(f"PRAGMA query_only = {int(read_only)}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Put the file in WAL mode, waiting for other programs: SQLite itself does not wait here."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Lock the file for writing; commit on return, roll back on an exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Let every read inside see the same state of the file."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
