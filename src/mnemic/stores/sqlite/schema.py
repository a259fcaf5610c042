"""The tables of the store, and the migrations from older versions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from mnemic.errors import NewerStore, NotAStore
from mnemic.sqlite import Connections, snapshot, transaction, use_write_ahead_log

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

APPLICATION_ID = 0x4D4E4D43  # "MNMC": SQLite keeps it in the file's header

_MEMORY_COLUMNS = """
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    agent TEXT,
    user TEXT,
    session TEXT,
    tier TEXT NOT NULL,
    category TEXT,
    importance REAL NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    source TEXT,
    created_at TEXT NOT NULL,
    occurred_at TEXT,
    expires_at TEXT,
    superseded_by TEXT,
    superseded_at TEXT,
    evidence INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    digest BLOB NOT NULL
"""

LAST_SEQ = (
    "max(coalesce((SELECT max(seq) FROM memories), 0), coalesce((SELECT max(seq) FROM forgotten), 0), "
    "coalesce((SELECT max(seq) FROM changes), 0))"
)
"""The last sequence number in use, as SQL."""

# `seq` numbers every change: the creation of a memory is recorded in `memories` itself, every other change in
# `changes`. No number is used twice.
# `forgotten` contains forgotten memories until they are purged.
# A table `vectors_N` contains the vectors of model N, by the `seq` of their memory: little-endian 16-bit floats.
# The table named by `meta.vectors` is searched; a second one exists while a reindex fills it.
# `uses` counts the uses of memories; they have no history and are deleted with their memory.
_VERSION_1 = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE memories ({_MEMORY_COLUMNS});
CREATE UNIQUE INDEX memories_id ON memories (id);
CREATE INDEX memories_agent ON memories (agent) WHERE agent IS NOT NULL;
CREATE INDEX memories_user ON memories (user) WHERE user IS NOT NULL;
CREATE INDEX memories_session ON memories (session) WHERE session IS NOT NULL;
CREATE INDEX memories_nobody ON memories (seq) WHERE agent IS NULL AND user IS NULL AND session IS NULL;
CREATE INDEX memories_digest ON memories (digest) WHERE session IS NULL;
CREATE INDEX memories_superseded_by ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE forgotten ({_MEMORY_COLUMNS});
CREATE INDEX forgotten_id ON forgotten (id);

CREATE TABLE changes (
    seq INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    before TEXT,
    after TEXT
);
CREATE INDEX changes_memory ON changes (memory_id);

CREATE TABLE links (
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    relation TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (from_id, to_id, relation)
) WITHOUT ROWID;
CREATE INDEX links_to ON links (to_id);

CREATE TABLE models (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    UNIQUE (name, dimension)
);

CREATE TABLE uses (seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, last_at TEXT NOT NULL);
"""


def _create_version_1(connection: sqlite3.Connection) -> None:
    run(connection, _VERSION_1)
    renew_generation(connection)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create_version_1,)
"""The step from each version to the next, starting from an empty file."""

VERSION = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the schema version of an open file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the file to the current version; call it inside a transaction."""
    for version in range(version_of(connection), VERSION):
        MIGRATIONS[version](connection)
        connection.execute(f"PRAGMA user_version = {version + 1}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def open_connections(path: Path | None) -> Connections:
    """Open the store in a file, creating it if needed; None keeps it in memory."""
    return Connections(path, prepare=partial(_prepare, path=path))


def _prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    """Turn an empty file into a store, migrate an older store, refuse anything else."""
    with snapshot(connection):  # another program may be creating the store
        version = check_identity(connection, path)
    if path is not None:
        use_write_ahead_log(connection)
    if version != VERSION:
        with transaction(connection):
            check_identity(connection, path)
            migrate(connection)


def check_identity(connection: sqlite3.Connection, path: Path | None) -> int:
    """Refuse a file that is not a store, or is of a newer Mnemic; return its version, 0 for an empty file."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = version_of(connection)
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application != APPLICATION_ID and (application or version or tables):
        raise NotAStore(f"{path} is an SQLite file of another program; choose another folder")
    if version > VERSION:
        raise NewerStore(
            f"{path} was written by a newer Mnemic (schema {version}, this one knows {VERSION}); "
            "upgrade Mnemic to open it"
        )
    return version


def renew_generation(connection: sqlite3.Connection) -> None:
    """Give the store a new generation id, so that every index and cache is rebuilt."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?)", (str(uuid4()),))


def run(connection: sqlite3.Connection, script: str) -> None:
    """Run statements inside the open transaction (`executescript` would commit it first)."""
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement)
