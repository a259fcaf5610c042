"""What every SQLite file of ours needs: opening, locking, pooled connections, our errors and long parameter lists."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

from mnemic.errors import DamagedStore, MindClosed, NotAStore, ReadOnlyStore, StoreBusy, StoreError, StoreFull
from mnemic.model.batches import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

PATIENCE = 60.0
"""Seconds to wait for another program's transaction."""

_CACHE_KIB = 16384
_PAGE = 65536
_MOST_PARAMETERS = 500
_IDLE_READERS = 8
Value = TypeVar("Value")


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


class Connections:
    """The connections to one file: any number for reading, one at a time for writing.

    In memory there is a single connection, so that reading and writing take turns.
    """

    def __init__(self, path: Path | None, *, prepare: Callable[[sqlite3.Connection], None]) -> None:
        """Open a file, or a database in memory; `prepare` gets the writing connection before anybody uses it."""
        self.path = path
        self._process = os.getpid()
        self._writing = threading.RLock()
        self._pool = threading.Lock()
        self._readers: list[sqlite3.Connection] = []
        self._closed = False
        self._durable = True
        self._translating = FailureTranslation(path)
        with self._translating:
            self._writer = connect(path)
            try:
                prepare(self._writer)
            except BaseException:
                self._writer.close()
                raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading."""
        self._check_process()
        if self.path is None:
            with self._writing, self._translating:
                self._check_open()
                yield self._writer
            return
        self._check_open()
        with self._translating:
            with self._pool:
                reader = self._readers.pop() if self._readers else None
            reader = reader or connect(self.path, read_only=True)
            try:
                yield reader
            finally:
                self._give_back(reader)

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection on which every read sees the same state."""
        with self.read() as reader, snapshot(reader):
            yield reader

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection inside a transaction: kept on return, undone on an exception.

        Unless it is to be durable, it is kept without waiting for the disk.
        """
        self._check_process()
        with self._writing, self._translating:
            self._check_open()
            writer = self._writer
            if durable != self._durable:
                writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            with transaction(writer):
                yield writer

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection outside a transaction."""
        self._check_process()
        with self._writing, self._translating:
            self._check_open()
            yield self._writer

    def close(self) -> None:
        """Close every connection; twice is the same as once."""
        if self._process != os.getpid():
            return
        with self._writing, self._pool:
            if self._closed:
                return
            self._closed = True
            for connection in (*self._readers, self._writer):
                connection.close()
            self._readers.clear()

    def _check_process(self) -> None:
        """Refuse to work after a fork, where a lock may be held by a thread that does not exist."""
        if self._process != os.getpid():
            raise MindClosed("this mind was opened before a fork; open one of your own in the new process")

    def _check_open(self) -> None:
        if self._closed:
            raise MindClosed("this mind is closed; open it again with Mind(path)")

    def _give_back(self, reader: sqlite3.Connection) -> None:
        with self._pool:
            if not self._closed and not reader.in_transaction and len(self._readers) < _IDLE_READERS:
                self._readers.append(reader)
                return
        reader.close()


class FailureTranslation:
    """A context in which every `sqlite3.Error` is raised again as a `StoreError`; it may be entered many times.

    `rebuild` tells how to make a derived file again, such as "`mnemic experience sync --rebuild` makes it again";
    without it the file is a store, for which only a backup helps.
    """

    __slots__ = ("_path", "_rebuild")

    def __init__(self, path: Path | None, *, rebuild: str | None = None) -> None:
        self._path = path
        self._rebuild = rebuild

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            raise translated(error, self._path, rebuild=self._rebuild) from error


def translated(error: sqlite3.Error, path: Path | None, *, rebuild: str | None = None) -> StoreError:
    """Return our error for one of SQLite's; see `FailureTranslation`."""
    where = "the store in memory" if path is None else str(path)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _disk_is_full(path):
        code = sqlite3.SQLITE_FULL
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return StoreBusy(
                f"{where} was locked by another program for more than {PATIENCE:.0f} seconds; nothing was changed, "
                "try again"
            )
        case sqlite3.SQLITE_FULL:
            return StoreFull(f"the disk of {where} is full; nothing was changed, free some space and try again")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return ReadOnlyStore(f"{where} cannot be written; nothing was changed, check the folder's permissions")
        case sqlite3.SQLITE_CANTOPEN:
            if path is not None and not os.access(path.parent, os.W_OK):
                return ReadOnlyStore(f"the folder of {where} cannot be written; check its permissions")
            return StoreError(f"{where} cannot be opened: {error}; check the folder and its permissions")
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT if rebuild is not None:
            return DamagedStore(f"{where} is damaged ({error}); {rebuild}")
        case sqlite3.SQLITE_NOTADB:
            return NotAStore(f"{where} is not a Mnemic store; choose another folder")
        case sqlite3.SQLITE_CORRUPT:
            return DamagedStore(f"{where} is damaged ({error}); run `mnemic doctor`, or restore a backup")
        case _:
            return StoreError(f"{where}: {error}")


def _disk_is_full(path: Path | None) -> bool:
    return path is not None and path.parent.is_dir() and shutil.disk_usage(path.parent).free < _PAGE


def parameter_batches(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Yield values in batches that one statement takes."""
    return batches(values, _MOST_PARAMETERS)


def placeholders(values: Sequence[object]) -> str:
    """Return one question mark for each value, for `IN (...)` or `VALUES (...)`."""
    return ", ".join("?" * len(values))
