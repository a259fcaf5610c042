"""What the index knows of a tree: each file with its state and its memories, and when each folder last changed.

The manifest is derived, like the memories: a lost one is written again from the files.
"""

from __future__ import annotations

import os
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemic.errors import MindClosed
from mnemic.files.disk import FileState
from mnemic.sqlite import FailureTranslation, connect, parameter_batches, placeholders, transaction, use_write_ahead_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mnemic.files.format import TreeFile

NAME = "tree.db"
_TABLES = ("files", "memories", "folders")
_OF_FOLDER = "FROM files WHERE path > ? AND path < ? AND folder = ?"


@dataclass(frozen=True, slots=True)
class Details:
    """The columns that a user of the manifest keeps beside each memory, and the indexes over them by name."""

    columns: tuple[str, ...] = ()
    indexes: Mapping[str, str] | None = None

    def schema(self) -> list[str]:
        """Return the statements that make the tables."""
        columns = "".join(f"{name} TEXT, " for name in self.columns)
        return [
            "CREATE TABLE folders (path TEXT PRIMARY KEY, changed_at INTEGER) WITHOUT ROWID",
            "CREATE TABLE files (path TEXT PRIMARY KEY, folder TEXT NOT NULL, size INTEGER NOT NULL, "
            "mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, problem TEXT) WITHOUT ROWID",
            f"CREATE TABLE memories (path TEXT NOT NULL, memory_id TEXT NOT NULL, {columns}"
            "PRIMARY KEY (path, memory_id)) WITHOUT ROWID",
            "CREATE INDEX files_problem ON files (path) WHERE problem IS NOT NULL",
            "CREATE INDEX memories_id ON memories (memory_id)",
            *(f"CREATE INDEX memories_{name} ON memories {over}" for name, over in (self.indexes or {}).items()),
        ]


class Manifest:
    """One small SQLite file with what is known of a tree."""

    def __init__(
        self,
        path: Path,
        details: Details,
        *,
        reopen: str = "open it again",
        rebuild: str = "delete it, and it is made again from the files",
    ) -> None:
        """Open the file, making it when it is missing or has other columns.

        Errors advise to `reopen` a closed manifest and to `rebuild` a damaged one.
        """
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self._reopen = reopen
        self._failures = FailureTranslation(path, rebuild=rebuild)
        self._into_memories = f"INTO memories VALUES (?, ?{', ?' * len(details.columns)})"
        with self._failures:
            self._connection = connect(path, synchronous="NORMAL")
            try:
                use_write_ahead_log(self._connection)
                self._connection.execute("PRAGMA secure_delete = ON")
                self._make(details.schema())
            except BaseException:
                self._connection.close()
                raise

    def _make(self, schema: Sequence[str]) -> None:
        """Make the tables unless they are there in this form."""
        version = zlib.crc32("\n".join(schema).encode()) >> 1  # SQLite keeps 31 bits
        with self.changing():
            if self._all("PRAGMA user_version")[0][0] != version:
                for table in _TABLES:
                    self._connection.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in schema:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {version}")

    def close(self) -> None:
        """Close the file."""
        if self._process != os.getpid():
            return
        with self._lock:
            self._closed = True
            self._connection.close()

    def check_usable(self) -> None:
        """Refuse to go on after `close`, or in another process."""
        if self._closed:
            raise MindClosed(f"this tree is closed; {self._reopen}")
        if self._process != os.getpid():
            raise MindClosed("this tree was opened before a fork; open one of your own in the new process")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep all changes made inside, or none."""
        with self._using(), transaction(self._connection):
            yield

    # Files

    def put(self, files: Sequence[TreeFile]) -> None:
        """Note files with their memories as they are now, and that their folders must be listed again."""
        self._many("INSERT OR IGNORE INTO folders VALUES (?, NULL)", {(file.folder,) for file in files})
        self._many("DELETE FROM memories WHERE path = ?", ((file.path,) for file in files))
        self._insert(files)

    def put_missing(self, files: Sequence[TreeFile]) -> None:
        """Note files that nobody has noted yet, and in any case that their folders must be listed again."""
        self._many("REPLACE INTO folders VALUES (?, NULL)", {(file.folder,) for file in files})
        known = self.ids([file.path for file in files])
        self._insert([file for file in files if file.path not in known])

    def put_broken(self, files: Sequence[TreeFile]) -> None:
        """Note what is wrong with files, leaving their memories as they are."""
        self._many("INSERT OR IGNORE INTO folders VALUES (?, NULL)", {(file.folder,) for file in files})
        self._insert(files)

    def _insert(self, files: Sequence[TreeFile]) -> None:
        self._many(
            "REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
            ((file.path, file.folder, *file.state, file.problem) for file in files),
        )
        self._many(
            f"INSERT {self._into_memories}",
            ((file.path, entry.memory.id, *entry.details) for file in files for entry in file.entries),
        )

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files and their memories."""
        rows = [(path,) for path in paths]
        self._many("DELETE FROM files WHERE path = ?", rows)
        self._many("DELETE FROM memories WHERE path = ?", rows)

    def drop_memories(self, rows: Sequence[tuple[str, str]]) -> None:
        """Forget memories, each named by path and id; a file that has no other is forgotten too."""
        self._many("DELETE FROM memories WHERE path = ? AND memory_id = ?", rows)
        self._many(
            "DELETE FROM files WHERE path = ? AND NOT EXISTS (SELECT 1 FROM memories WHERE path = files.path)",
            ((path,) for path, _ in rows),
        )

    def clear(self) -> None:
        """Forget everything, so that all files are read again."""
        with self.changing():
            for table in _TABLES:
                self._connection.execute(f"DELETE FROM {table}")

    def inodes(self, folder: str) -> dict[str, int]:
        """Return the known paths of a folder with their inodes."""
        return dict(self._all(f"SELECT path, inode {_OF_FOLDER}", f"{folder}/", f"{folder}0", folder))

    def states(self, folder: str) -> dict[str, FileState]:
        """Return the known paths of a folder with their states."""
        rows = self._all(f"SELECT path, size, mtime_ns, inode {_OF_FOLDER}", f"{folder}/", f"{folder}0", folder)
        return {path: FileState(*state) for path, *state in rows}

    def problems(self) -> list[tuple[str, str]]:
        """Return the paths of the files that could not be read, and why."""
        return self._all("SELECT path, problem FROM files WHERE problem IS NOT NULL ORDER BY path")

    # Folders

    def folders(self) -> dict[str, int | None]:
        """Return every known folder with when it last changed; None when that was too recent to rely on."""
        return dict(self._all("SELECT path, changed_at FROM folders"))

    def note_folder(self, path: str, changed_at: int | None) -> None:
        """Note when a folder last changed."""
        self._many("REPLACE INTO folders VALUES (?, ?)", [(path, changed_at)])

    def drop_folder(self, path: str) -> None:
        """Forget a folder."""
        self._many("DELETE FROM folders WHERE path = ?", [(path,)])

    # Memories

    def ids(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return the ids of the memories in each of these files that is known."""
        ids: dict[str, list[str]] = {}
        for batch in parameter_batches(paths):
            for path, id in self._all(
                "SELECT f.path, m.memory_id FROM files AS f LEFT JOIN memories AS m ON m.path = f.path "
                f"WHERE f.path IN ({placeholders(batch)})",
                *batch,
            ):
                ids.setdefault(path, []).extend([] if id is None else [id])
        return ids

    def paths(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the paths of each of these memories that is known."""
        paths: dict[str, list[str]] = {}
        for batch in parameter_batches(ids):
            for id, path in self._all(
                f"SELECT memory_id, path FROM memories WHERE memory_id IN ({placeholders(batch)}) ORDER BY path", *batch
            ):
                paths.setdefault(id, []).append(path)
        return paths

    def last_ids(self, before: str, limit: int) -> list[str]:
        """Return the largest ids below one; a UUIDv7 is the larger the later it was made."""
        sql = "SELECT memory_id FROM memories WHERE memory_id < ? ORDER BY memory_id DESC LIMIT ?"
        return [id for (id,) in self._all(sql, before, limit)]

    def with_memories(self) -> list[str]:
        """Return the paths of the files that have memories."""
        return [path for (path,) in self._all("SELECT DISTINCT path FROM memories ORDER BY path")]

    def count(self) -> int:
        """Count the memories."""
        counted: int = self._all("SELECT count(*) FROM memories")[0][0]
        return counted

    def _all(self, sql: str, *values: object) -> list[Any]:
        with self._using():
            return self._connection.execute(sql, values).fetchall()

    def _many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with self._using():
            self._connection.executemany(sql, rows)

    @contextmanager
    def _using(self) -> Iterator[None]:
        self.check_usable()
        with self._lock, self._failures:
            yield
