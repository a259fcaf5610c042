"""Connections to one SQLite file: many readers, one writer, errors in Mnemic's words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mnemic.errors import (
    DamagedStore,
    MindClosed,
    NewerStore,
    NotAStore,
    ReadOnlyStore,
    StoreBusy,
    StoreError,
    StoreFull,
)
from mnemic.stores.sqlite import schema

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

PATIENCE = 60.0
"""Seconds to wait for another program's transaction."""

_IDLE_READERS = 8
_PAGE = 65536


class Connections:
    """Lend connections to one file: any number for reading, one at a time for writing.

    In memory there is a single connection, so that reading and writing take turns.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._process = os.getpid()
        self._writing = threading.RLock()
        self._pool = threading.Lock()
        self._readers: list[sqlite3.Connection] = []
        self._closed = False
        self._durable = True
        with in_our_words(path):
            self._writer = self._open()
            try:
                self._prepare()
            except BaseException:
                self._writer.close()
                raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading."""
        self._check_process()
        if self.path is None:
            with self._writing, in_our_words(None):
                self._check_open()
                yield self._writer
            return
        self._check_open()
        with in_our_words(self.path):
            with self._pool:
                reader = self._readers.pop() if self._readers else None
            reader = reader or self._open(reading=True)
            try:
                yield reader
            finally:
                self._give_back(reader)

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection on which every read sees the same state."""
        with self.read() as reader:
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                reader.execute("ROLLBACK")

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection inside a transaction: kept on return, undone on an exception.

        Unless it is to be durable, it is kept without waiting for the disk.
        """
        self._check_process()
        with self._writing, in_our_words(self.path):
            self._check_open()
            writer = self._writer
            if durable != self._durable:
                writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            _begin(writer)
            try:
                yield writer
                writer.execute("COMMIT")
            except BaseException:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection outside a transaction."""
        self._check_process()
        with self._writing, in_our_words(self.path):
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

    def _open(self, *, reading: bool = False) -> sqlite3.Connection:
        connection = sqlite3.connect(
            ":memory:" if self.path is None else self.path,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA cache_size = -16384")
            connection.execute(f"PRAGMA query_only = {int(reading)}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        """Make an empty file a store, bring an older store up to date, refuse anything else."""
        self._writer.execute("BEGIN")  # one state for all that is read: another program may be making the store
        version = check_identity(self._writer, self.path)
        self._writer.execute("ROLLBACK")
        if self.path is not None:
            _use_write_ahead_log(self._writer)
        if version != schema.VERSION:
            _begin(self._writer)
            try:
                check_identity(self._writer, self.path)
                schema.migrate(self._writer)
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise


def check_identity(connection: sqlite3.Connection, path: Path | None) -> int:
    """Refuse a file that is not a store, or one of a newer Mnemic; return its version, 0 of an empty file."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = schema.version_of(connection)
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application != schema.APPLICATION_ID and (application or version or tables):
        raise NotAStore(f"{path} is an SQLite file of another program; choose another folder")
    if version > schema.VERSION:
        raise NewerStore(
            f"{path} was written by a newer Mnemic (schema {version}, this one knows {schema.VERSION}); "
            "upgrade Mnemic to open it"
        )
    return version


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """See that the file is in WAL mode; SQLite does not wait for others who switch it too, so we do."""
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


def _begin(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")


class in_our_words:  # noqa: N801 - it is used like the functions of contextlib
    """Turn SQLite's errors into ours, with what to do about them."""

    __slots__ = ("_path",)

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            raise _translated(error, self._path) from error


def _translated(error: sqlite3.Error, path: Path | None) -> StoreError:
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
        case sqlite3.SQLITE_NOTADB:
            return NotAStore(f"{where} is not a Mnemic store; choose another folder")
        case sqlite3.SQLITE_CORRUPT:
            return DamagedStore(f"{where} is damaged ({error}); run `mnemic doctor`, or restore a backup")
        case _:
            return StoreError(f"{where}: {error}")


def _disk_is_full(path: Path | None) -> bool:
    return path is not None and path.parent.is_dir() and shutil.disk_usage(path.parent).free < _PAGE
