"""What the index knows of the tree: every file with its state and its route, and when each folder last changed.

It is derived, like the mind beside it: a lost one is written again from the tree.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemic.errors import DamagedStore, MindClosed, ReadOnlyStore, StoreBusy, StoreError, StoreFull
from mnemic.experience.tree import State
from mnemic.model.filter import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mnemic.experience.experience import Experience
    from mnemic.experience.routes import Place

NAME = "tree.db"
_PATIENCE = 60.0
_VERSION = 2
_BATCH = 500
_SCHEMA = f"""
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    folder TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    memory_id TEXT,
    outcome TEXT,
    tool TEXT,
    key TEXT,
    value TEXT,
    filed TEXT,
    says TEXT,
    began_at TEXT,
    summary TEXT,
    problem TEXT
) WITHOUT ROWID;
CREATE INDEX files_memory ON files (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX files_filed ON files (filed, began_at) WHERE filed IS NOT NULL;
CREATE INDEX files_began ON files (began_at) WHERE filed IS NOT NULL;
CREATE INDEX files_problem ON files (path) WHERE problem IS NOT NULL;
CREATE INDEX files_misfiled ON files (path) WHERE says != folder;
CREATE TABLE folders (path TEXT PRIMARY KEY, changed_at INTEGER) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""
_OF_FOLDER = "FROM files WHERE path > ? AND path < ? AND folder = ?"
_INTO_FILES = f"INTO files VALUES ({', '.join('?' * 15)})"


@dataclass(frozen=True, slots=True)
class File:
    """Hold what is known of one file: its experience and the folder that its front matter names, or what is wrong."""

    path: str
    folder: str
    state: State
    experience: Experience | None = None
    says: str | None = None
    problem: str | None = None


class Manifest:
    """Keep what is known of the tree in one small SQLite file."""

    def __init__(self, path: Path) -> None:
        """Open the file, making it when it is not there."""
        self._lock = threading.RLock()
        self._path = path
        self._process = os.getpid()
        self._closed = False
        with self._in_our_words():
            self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._use_log()
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute("PRAGMA secure_delete = ON")
                self._connection.execute("PRAGMA cache_size = -16384")
                with self.changing():
                    if self._one("PRAGMA user_version") != _VERSION:
                        for table in ("files", "folders"):
                            self._connection.execute(f"DROP TABLE IF EXISTS {table}")
                        for statement in _SCHEMA.split(";\n"):
                            self._connection.execute(statement)
            except BaseException:
                self._connection.close()
                raise

    def _use_log(self) -> None:
        """See that the file is in WAL mode; SQLite does not wait for others who switch it too, so we do."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    def close(self) -> None:
        """Let go of the file."""
        if self._process != os.getpid():
            return
        with self._lock:
            self._closed = True
            self._connection.close()

    def check_usable(self) -> None:
        """Refuse to go on after `close`, or in another process."""
        if self._closed:
            raise MindClosed("this tree is closed; open it again with MemoryEngine(root)")
        if self._process != os.getpid():
            raise MindClosed("this tree was opened before a fork; open one of your own in the new process")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep all changes made inside, or none."""
        with self._lock, self._in_our_words():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def put(self, files: Iterable[File]) -> None:
        """Note files as they are now, and that their folders want a look."""
        files = list(files)
        with self._lock, self._in_our_words():
            self._connection.executemany(
                "INSERT OR IGNORE INTO folders VALUES (?, NULL)", {(file.folder,) for file in files}
            )
            self._connection.executemany(f"REPLACE {_INTO_FILES}", map(_row, files))

    def put_missing(self, files: Iterable[File]) -> None:
        """Note files unless somebody did so meanwhile, and that their folders want a look in any case."""
        files = list(files)
        with self._lock, self._in_our_words():
            self._connection.executemany("REPLACE INTO folders VALUES (?, NULL)", {(file.folder,) for file in files})
            self._connection.executemany(f"INSERT OR IGNORE {_INTO_FILES}", map(_row, files))

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files."""
        with self._lock, self._in_our_words():
            self._connection.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in paths))

    def clear(self) -> None:
        """Forget everything, so that the tree is read again."""
        with self.changing():
            for table in ("files", "folders"):
                self._connection.execute(f"DELETE FROM {table}")

    def folders(self) -> dict[str, int | None]:
        """Return every known folder with when it last changed; None when that was too recent to rely on."""
        return dict(self._all("SELECT path, changed_at FROM folders"))

    def note_folder(self, path: str, changed_at: int | None) -> None:
        """Note when a folder last changed."""
        with self._lock, self._in_our_words():
            self._connection.execute("REPLACE INTO folders VALUES (?, ?)", (path, changed_at))

    def drop_folder(self, path: str) -> None:
        """Forget a folder."""
        with self._lock, self._in_our_words():
            self._connection.execute("DELETE FROM folders WHERE path = ?", (path,))

    def inodes(self, folder: str) -> dict[str, int]:
        """Return the known paths of a folder with their inode."""
        return dict(self._all(f"SELECT path, inode {_OF_FOLDER}", f"{folder}/", f"{folder}0", folder))

    def states(self, folder: str) -> dict[str, State]:
        """Return the known paths of a folder with their state."""
        rows = self._all(f"SELECT path, size, mtime_ns, inode {_OF_FOLDER}", f"{folder}/", f"{folder}0", folder)
        return {path: State(*state) for path, *state in rows}

    def ids(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the memory of each path that has one."""
        found: dict[str, str] = {}
        for batch in _batches(paths):
            found |= self._all(
                f"SELECT path, memory_id FROM files WHERE memory_id IS NOT NULL AND path IN ({_places(batch)})", *batch
            )
        return found

    def paths(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the paths of each memory that has one."""
        found: dict[str, list[str]] = {}
        for batch in _batches(ids):
            for id, path in self._all(
                f"SELECT memory_id, path FROM files WHERE memory_id IN ({_places(batch)}) ORDER BY path", *batch
            ):
                found.setdefault(id, []).append(path)
        return found

    def last_ids(self, before: str, limit: int) -> list[str]:
        """Return the last memories before one, by their ids, which tell when they were made."""
        return [
            id
            for (id,) in self._all(
                "SELECT memory_id FROM files WHERE memory_id < ? ORDER BY memory_id DESC LIMIT ?", before, limit
            )
        ]

    def newest(
        self,
        places: Sequence[Place],
        *,
        since: str | None = None,
        until: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> list[tuple[str, str]]:
        """Return path and memory of the experiences filed in places, newest first."""
        found: list[tuple[str, str, str]] = []
        given = [(sign, bound) for sign, bound in ((">=", since), ("<=", until), ("<", before)) if bound is not None]
        span = "".join(f" AND began_at {sign} ?" for sign, _ in given)
        bounds = [bound for _, bound in given]
        for place in places:
            found += self._all(
                f"SELECT began_at, path, memory_id FROM files WHERE filed = ?{span} "
                "ORDER BY began_at DESC, path DESC LIMIT ?",
                place.folder,
                *bounds,
                -1 if limit is None else limit,
            )
        found.sort(reverse=True)
        return [(path, id) for _, path, id in found[:limit]]

    def tally(self) -> list[tuple[str, str | None, str | None, str | None, int, str, str]]:
        """Count experiences by place, with the first and the last time of each."""
        return self._all(
            "SELECT outcome, tool, key, value, count(*), min(began_at), max(began_at) FROM files "
            "WHERE filed IS NOT NULL GROUP BY filed, outcome, tool, key, value ORDER BY filed"
        )

    def by_day(self) -> list[tuple[str, str, int]]:
        """Count experiences by day and outcome."""
        return self._all(
            "SELECT substr(began_at, 1, 10), outcome, count(*) FROM files WHERE filed IS NOT NULL GROUP BY 1, 2 "
            "ORDER BY 1"
        )

    def all(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Walk through path, memory, folder of its route, time and summary of every experience, oldest first."""
        yield from self._all(
            "SELECT path, memory_id, filed, began_at, summary FROM files WHERE filed IS NOT NULL "
            "ORDER BY began_at, path"
        )

    def misfiled(self) -> list[tuple[str, str]]:
        """Return the paths that lie elsewhere than their front matter says, each with where it says."""
        return self._all("SELECT path, says FROM files WHERE says != folder ORDER BY path")

    def problems(self) -> list[tuple[str, str]]:
        """Return the paths that could not be read, and why."""
        return self._all("SELECT path, problem FROM files WHERE problem IS NOT NULL ORDER BY path")

    def count(self) -> int:
        """Count experiences."""
        counted: int = self._one("SELECT count(*) FROM files WHERE filed IS NOT NULL")
        return counted

    def _all(self, sql: str, *values: object) -> list[Any]:
        with self._lock, self._in_our_words():
            return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str) -> Any:  # noqa: ANN401
        return self._all(sql)[0][0]

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        self.check_usable()
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise StoreFull(f"the disk of {self._path} is full or failing; free some space, try again") from error
            if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
                raise ReadOnlyStore(f"{self._path} cannot be written; check the folder's permissions") from error
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StoreBusy(f"{self._path} was locked by another program for too long; try again") from error
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise DamagedStore(
                    f"{self._path} is damaged; `mnemic experience sync --rebuild` makes it again from the tree"
                ) from error
            raise StoreError(f"{self._path}: {error}") from error


def _row(file: File) -> tuple[Any, ...]:
    told: tuple[Any, ...] = (None,) * 9
    if (experience := file.experience) is not None:
        place = experience.place
        told = (
            experience.memory_id,
            *(place.outcome, place.tool, place.key, place.value, place.folder, file.says),
            stamp(experience.began_at),
            experience.summary,
        )
    return (file.path, file.folder, file.state.size, file.state.mtime_ns, file.state.inode, *told, file.problem)


def _batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
