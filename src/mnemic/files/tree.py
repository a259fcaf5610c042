"""A tree of files, written so that readers see only whole files, and never outside its root.

Every folder is opened from the one above it without following symbolic links, and files are reached through the open
folder, so that nobody can place a link between a check and its use.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput, LinkInTheWay, StoreError
from mnemic.files.disk import (
    FileState,
    opened,
    signed,
    sync_files,
    sync_folder,
    translated_errors,
    write_new,
)
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Sequence

HIDDEN = ".mnemic"
"""The folder of everything derived, and of files that are being written."""

MAX_DEPTH = 8
_WAITING = "waiting"
_ABANDONED_AFTER = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Listing:
    """The names in a folder: files with their inodes, folders, and what is refused, with the reason."""

    files: dict[str, int]
    folders: frozenset[str]
    refused: dict[str, str]


class Tree:
    """The files with one suffix in the folders below a root."""

    def __init__(self, root: Path, *, suffix: str, ignored: frozenset[str] = frozenset()) -> None:
        """Make the root and its hidden folder when they are missing; files named in `ignored` are left out."""
        self._given = root
        self._suffix = suffix
        self._ignored = ignored
        self.root = root = root.absolute()  # so that a program may change its working folder
        self.hidden = root / HIDDEN
        if os.path.lexists(root) and not root.is_dir():  # in this order: another program may be making it
            raise InvalidInput("root", f"{root} is not a folder; name a folder, or a path for a new one")
        with translated_errors(root):
            missing = [folder for folder in (root, *root.parents) if not folder.exists()]
            root.mkdir(parents=True, exist_ok=True)
            for folder in missing:
                sync_folder(folder.parent)
            if self.hidden.is_symlink():
                raise StoreError(f"{self.hidden} is a symbolic link that leads out of the tree; remove it")
            (self.hidden / _WAITING).mkdir(mode=0o700, parents=True, exist_ok=True)
            ignore = self.hidden / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n")
            self._sweep()

    def _sweep(self) -> None:
        """Remove files that writers left unfinished long ago."""
        with os.scandir(self.hidden / _WAITING) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - _ABANDONED_AFTER:
                        Path(entry.path).unlink()

    def write(self, files: Sequence[tuple[str, bytes]]) -> list[FileState]:
        """Add new files: all of them, on the disk when this returns, or none.

        A path that is taken raises FileExistsError.
        """
        with translated_errors(self.root), opened(self.root, f"{HIDDEN}/{_WAITING}", make=True) as waiting:
            names = [f"{os.getpid()}-{token_hex(12)}" for _ in files]
            linked: list[str] = []
            try:
                states = [
                    write_new(waiting, name, data, sync=len(files) == 1)
                    for name, (_, data) in zip(names, files, strict=True)
                ]
                if len(files) > 1:
                    sync_files(waiting, names)
                by_folder: dict[str, list[tuple[str, str]]] = defaultdict(list)
                for name, (path, _) in zip(names, files, strict=True):
                    by_folder[folder_of(path)].append((name, path))
                for folder, pairs in by_folder.items():
                    with opened(self.root, folder, make=True) as target:
                        for name, path in pairs:
                            os.link(name, _name(path), src_dir_fd=waiting, dst_dir_fd=target)
                            linked.append(path)
                        os.fsync(target)
            except BaseException:
                self.remove(linked)
                raise
            finally:
                for name in names:
                    with suppress(FileNotFoundError):
                        os.unlink(name, dir_fd=waiting)
        return states

    def remove(self, paths: Sequence[str]) -> int:
        """Remove files; return how many there were."""
        removed = 0
        by_folder: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            by_folder[folder_of(path)].append(_name(path))
        with translated_errors(self.root):
            for folder, names in by_folder.items():
                with suppress(FileNotFoundError), opened(self.root, folder) as descriptor:
                    for name in names:
                        with suppress(FileNotFoundError):
                            os.unlink(name, dir_fd=descriptor)
                            removed += 1
                    os.fsync(descriptor)
        return removed

    def read(self, path: str, *, max_bytes: int) -> tuple[bytes, FileState]:
        """Return the bytes of a file, at most one more than `max_bytes`, and its state before they were read."""
        with opened(self.root, folder_of(path)) as folder:
            descriptor = os.open(_name(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise InvalidInput("file", "is not a regular file")
            return file.read(max_bytes + 1), FileState.of(status)

    def list(self, folder: str) -> Listing | None:
        """Return the names in a folder, or None when there is no such folder."""
        files: dict[str, int] = {}
        folders: set[str] = set()
        refused: dict[str, str] = {}
        try:
            with opened(self.root, folder) as descriptor, os.scandir(descriptor) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(".") or name in self._ignored:
                        continue
                    is_ours = bool(folder) and name.endswith(self._suffix)
                    if is_ours and name.isascii() and entry.is_file(follow_symlinks=False):
                        files[name] = signed(entry.inode())
                    elif not _is_text(name):
                        refused[_readable(name)] = "has a name that is not UTF-8; rename it"
                    elif entry.is_symlink():
                        refused[name] = "is a symbolic link, which is not followed"
                    elif entry.is_dir(follow_symlinks=False):
                        folders.add(name)
                    elif is_ours:
                        files[name] = signed(entry.inode())
        except (FileNotFoundError, NotADirectoryError, LinkInTheWay):
            return None
        return Listing(files, frozenset(folders), refused)

    def states(self, folder: str) -> dict[str, FileState]:
        """Return the state of every file in a folder."""
        states = {}
        with (
            suppress(FileNotFoundError, NotADirectoryError, LinkInTheWay),
            opened(self.root, folder) as descriptor,
            os.scandir(descriptor) as entries,
        ):
            for entry in entries:
                if entry.name.endswith(self._suffix) and not entry.name.startswith("."):
                    with suppress(FileNotFoundError):
                        states[entry.name] = FileState.of(entry.stat(follow_symlinks=False))
        return states

    def changed_at(self, folder: str) -> int | None:
        """Return when a name was last added to a folder or removed, or None when the folder cannot be seen."""
        try:
            status = os.lstat(f"{self.root}/{folder}")
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        return signed(status.st_mtime_ns) if stat.S_ISDIR(status.st_mode) or not folder else None

    def exists(self, path: str) -> bool:
        """Return whether there is a regular file at a path, not a link."""
        return self.state(path) is not None

    def state(self, path: str) -> FileState | None:
        """Return the state of a regular file, or None when none can be seen or a link leads to it."""
        part_path = str(self.root)
        try:
            for part in path.split("/"):
                part_path = f"{part_path}/{part}"
                status = os.lstat(part_path)
                if stat.S_ISLNK(status.st_mode):
                    return None
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        return FileState.of(status) if stat.S_ISREG(status.st_mode) else None

    def inside(self, value: object) -> str:
        """Return a path relative to the root, or refuse one that cannot be a file of the tree."""
        if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
            raise InvalidInput("path", f"must be the path of a file in the tree, not {value!r}")
        path = Path(checks.storable("path", os.fsdecode(value)))
        for base in (self._given, self.root):
            with suppress(ValueError):
                path = path.relative_to(base)
                break
        is_hidden = ".." in path.parts or any(part.startswith(".") for part in path.parts)
        is_ours = len(path.parts) > 1 and path.suffix == self._suffix and path.name not in self._ignored
        if path.is_absolute() or is_hidden or not is_ours:
            raise InvalidInput(
                "path", f"{value} cannot be in {self.root}; name a {self._suffix} file in one of its folders"
            )
        return path.as_posix()

    def remove_index(self) -> None:
        """Remove everything derived; programs that have it open keep what they have open."""
        aside = self.root / f"{HIDDEN}-{token_hex(4)}"
        with translated_errors(self.root):
            self.hidden.rename(aside)
            shutil.rmtree(aside)


def folder_of(path: str) -> str:
    """Return the folder part of a path in the tree; the root's is empty."""
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _readable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")
