"""Connections to one SQLite file: many readers, one writer, our own errors."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mnemic.errors import MindClosed, NewerStore, NotAStore
from mnemic.sqlite import FailureTranslation, connect, snapshot, transaction, use_write_ahead_log
from mnemic.stores.sqlite import schema

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

_IDLE_READERS = 8


class Connections:
    """The connections to one file: any number for reading, one at a time for writing.

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
        self._translating = FailureTranslation(path)
        with self._translating:
            self._writer = connect(path)
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

    def _prepare(self) -> None:
        """Make an empty file a store, bring an older store up to date, refuse anything else."""
        with snapshot(self._writer):  # another program may be making the store
            version = check_identity(self._writer, self.path)
        if self.path is not None:
            use_write_ahead_log(self._writer)
        if version != schema.VERSION:
            with transaction(self._writer):
                check_identity(self._writer, self.path)
                schema.migrate(self._writer)


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
