"""SQLite for every file of Mnemic: opening, locking, pooled connections, errors and long parameter lists."""

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

LOCK_TIMEOUT = 60.0
"""How many seconds to wait for another program's transaction."""

_CACHE_KIB = 16384
_MIN_FREE_BYTES = 65536
_MAX_PARAMETERS = 500
_MAX_IDLE_READERS = 8
Value = TypeVar("Value")


def connect(
    path: Path | None, *, synchronous: Literal["FULL", "NORMAL"] = "FULL", read_only: bool = False
) -> sqlite3.Connection:
    """Open a file, or a database in memory, for several threads in turn; transactions are started explicitly."""
    connection = sqlite3.connect(
        ":memory:" if path is None else path,
        timeout=LOCK_TIMEOUT,
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
    """Switch the file to WAL mode, waiting for other programs; SQLite itself does not wait here."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    deadline = time.monotonic() + LOCK_TIMEOUT
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
    """Make every read inside see the same snapshot of the file."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


class Connections:
    """The connections to one file: any number of readers, one writer at a time.

    A database in memory has a single connection, which readers and writers share in turn.
    """

    def __init__(self, path: Path | None, *, prepare: Callable[[sqlite3.Connection], None]) -> None:
        """Open a file, or a database in memory; `prepare` gets the writing connection before anything else."""
        self.path = path
        self._process = os.getpid()
        self._write_lock = threading.RLock()
        self._pool_lock = threading.Lock()
        self._readers: list[sqlite3.Connection] = []
        self._closed = False
        self._durable = True
        self._translation = FailureTranslation(path)
        with self._translation:
            self._writer = connect(path)
            try:
                prepare(self._writer)
            except BaseException:
                self._writer.close()
                raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for reading."""
        self._check_process()
        if self.path is None:
            with self._write_lock, self._translation:
                self._check_open()
                yield self._writer
            return
        self._check_open()
        with self._translation:
            with self._pool_lock:
                reader = self._readers.pop() if self._readers else None
            reader = reader or connect(self.path, read_only=True)
            try:
                yield reader
            finally:
                self._return(reader)

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection on which every read sees the same snapshot."""
        with self.read() as reader, snapshot(reader):
            yield reader

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Yield the writing connection inside a transaction; commit on return, roll back on an exception.

        A transaction that is not durable does not wait for the disk.
        """
        self._check_process()
        with self._write_lock, self._translation:
            self._check_open()
            writer = self._writer
            if durable != self._durable:
                writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            with transaction(writer):
                yield writer

    @contextmanager
    def write_without_transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the writing connection outside a transaction."""
        self._check_process()
        with self._write_lock, self._translation:
            self._check_open()
            yield self._writer

    def close(self) -> None:
        """Close every connection; closing twice does no harm."""
        if self._process != os.getpid():
            return
        with self._write_lock, self._pool_lock:
            if self._closed:
                return
            self._closed = True
            for connection in (*self._readers, self._writer):
                connection.close()
            self._readers.clear()

    def _check_process(self) -> None:
        """Refuse to work after a fork, where a lock may be held by a thread that no longer exists."""
        if self._process != os.getpid():
            raise MindClosed("this mind was opened before a fork; open it again in the new process")

    def _check_open(self) -> None:
        if self._closed:
            raise MindClosed("this mind is closed; open it again with Mind(path)")

    def _return(self, reader: sqlite3.Connection) -> None:
        with self._pool_lock:
            if not self._closed and not reader.in_transaction and len(self._readers) < _MAX_IDLE_READERS:
                self._readers.append(reader)
                return
        reader.close()


class FailureTranslation:
    """A reusable context that raises every `sqlite3.Error` as a `StoreError`.

    For a derived file, `rebuild` is the advice how to make it again; without it, the advice is to restore a backup.
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
    """Return the `StoreError` for an SQLite error; see `FailureTranslation`."""
    where = "the store in memory" if path is None else str(path)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _disk_is_full(path):
        code = sqlite3.SQLITE_FULL
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return StoreBusy(
                f"{where} was locked by another program for more than {LOCK_TIMEOUT:.0f} seconds; nothing was changed, "
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
    return path is not None and path.parent.is_dir() and shutil.disk_usage(path.parent).free < _MIN_FREE_BYTES


def parameter_batches(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Yield values in batches small enough for one statement."""
    return batches(values, _MAX_PARAMETERS)


def placeholders(values: Sequence[object]) -> str:
    """Return one placeholder per value, for `IN (...)` or `VALUES (...)`."""
    return ", ".join("?" * len(values))
