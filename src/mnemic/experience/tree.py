"""The tree of files: written so that a reader sees whole files only, and never outside its root.

Every folder is opened from the one above it without following symbolic links, and files are reached through the open
folder, so that nobody can slip a link between a check and its use.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

from mnemic.errors import InvalidInput, LinkInTheWay, ReadOnlyStore, StoreError, StoreFull
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HIDDEN = ".mnemic"
"""The folder of everything derived, and of files that are being written."""

WAITING = "waiting"
SUFFIX = ".md"
IGNORED = frozenset({"README.md"})
MAX_DEPTH = 8
_FORGOTTEN_AFTER = 24 * 60 * 60
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class State(NamedTuple):
    """Hold what tells that a file has changed."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> State:
        """Return the state that the system tells."""
        return cls(found.st_size, _signed(found.st_mtime_ns), _signed(found.st_ino))


@dataclass(frozen=True, slots=True)
class Listing:
    """Hold what a folder has in it: experiences with their inode, folders, and what is refused, with the reason."""

    files: dict[str, int]
    folders: frozenset[str]
    refused: dict[str, str]


class Tree:
    """Read and write the files below a root."""

    def __init__(self, root: Path) -> None:
        """Make the root and its hidden folder when they are not there."""
        self._given = root
        self.root = root = root.absolute()  # so that a program may change its working folder
        self.hidden = root / HIDDEN
        if os.path.lexists(root) and not root.is_dir():  # in this order: another program may be making it
            raise InvalidInput("root", f"{root} is not a folder; name one, or a place for a new one")
        with _in_our_words(root):
            new = [place for place in (root, *root.parents) if not place.exists()]
            root.mkdir(parents=True, exist_ok=True)
            for place in new:
                _sync(place.parent)
            if self.hidden.is_symlink():
                raise StoreError(f"{self.hidden} is a symbolic link; remove it, it would lead out of the tree")
            (self.hidden / WAITING).mkdir(mode=0o700, parents=True, exist_ok=True)
            ignore = self.hidden / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n")
            self._sweep()

    def _sweep(self) -> None:
        """Remove what writers left behind that were killed long ago."""
        with os.scandir(self.hidden / WAITING) as left:
            for entry in left:
                with suppress(FileNotFoundError):
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - _FORGOTTEN_AFTER:
                        Path(entry.path).unlink()

    def write(self, files: Sequence[tuple[str, bytes]]) -> list[State]:
        """Add files that are not there yet: all of them, on the disk when this returns, or none.

        A path that is taken raises FileExistsError.
        """
        with _in_our_words(self.root), self._opened(f"{HIDDEN}/{WAITING}", make=True) as waiting:
            names = [f"{os.getpid()}-{token_hex(12)}" for _ in files]
            linked: list[str] = []
            try:
                states = [
                    _fill(waiting, name, data, sync=len(files) == 1)
                    for name, (_, data) in zip(names, files, strict=True)
                ]
                if len(files) > 1:
                    _sync_all(waiting, names)
                by_folder: dict[str, list[tuple[str, str]]] = defaultdict(list)
                for name, (path, _) in zip(names, files, strict=True):
                    by_folder[_folder(path)].append((name, path))
                for folder, pairs in by_folder.items():
                    with self._opened(folder, make=True) as there:
                        for name, path in pairs:
                            os.link(name, _name(path), src_dir_fd=waiting, dst_dir_fd=there)
                            linked.append(path)
                        os.fsync(there)
            except BaseException:
                self.remove(linked)
                raise
            finally:
                for name in names:
                    with suppress(FileNotFoundError):
                        os.unlink(name, dir_fd=waiting)
        return states

    def remove(self, paths: Sequence[str]) -> int:
        """Remove files; return how many were there."""
        removed = 0
        by_folder: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            by_folder[_folder(path)].append(_name(path))
        with _in_our_words(self.root):
            for folder, names in by_folder.items():
                with suppress(FileNotFoundError), self._opened(folder) as there:
                    for name in names:
                        with suppress(FileNotFoundError):
                            os.unlink(name, dir_fd=there)
                            removed += 1
                    os.fsync(there)
        return removed

    def read(self, path: str, *, most: int) -> tuple[bytes, State]:
        """Return the bytes of a file, one more than `most` at the most, and its state before they were read."""
        with self._opened(_folder(path)) as there:
            descriptor = os.open(_name(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=there)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise InvalidInput("file", "is not a regular file")
            return file.read(most + 1), State.of(found)

    def list(self, folder: str) -> Listing | None:
        """Return what is in a folder, or None when there is no such folder."""
        files: dict[str, int] = {}
        folders: set[str] = set()
        refused: dict[str, str] = {}
        try:
            with self._opened(folder) as there, os.scandir(there) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(".") or name in IGNORED:
                        continue
                    if folder and name.endswith(SUFFIX) and name.isascii() and entry.is_file(follow_symlinks=False):
                        files[name] = _signed(entry.inode())
                    elif not _is_text(name):
                        refused[_readable(name)] = "has a name that is not UTF-8; rename it"
                    elif entry.is_symlink():
                        refused[name] = "is a symbolic link, which is not followed"
                    elif entry.is_dir(follow_symlinks=False):
                        folders.add(name)
                    elif folder and name.endswith(SUFFIX):
                        files[name] = _signed(entry.inode())
        except (FileNotFoundError, NotADirectoryError, LinkInTheWay):
            return None
        return Listing(files, frozenset(folders), refused)

    def states(self, folder: str) -> dict[str, State]:
        """Return the state of every file in a folder."""
        found = {}
        with (
            suppress(FileNotFoundError, NotADirectoryError, LinkInTheWay),
            self._opened(folder) as there,
            os.scandir(there) as entries,
        ):
            for entry in entries:
                if entry.name.endswith(SUFFIX) and not entry.name.startswith("."):
                    with suppress(FileNotFoundError):
                        found[entry.name] = State.of(entry.stat(follow_symlinks=False))
        return found

    def changed_at(self, folder: str) -> int | None:
        """Return when names last came to a folder or left it, or None when no such folder can be seen."""
        try:
            found = os.lstat(f"{self.root}/{folder}")
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        return _signed(found.st_mtime_ns) if stat.S_ISDIR(found.st_mode) or not folder else None

    def exists(self, path: str) -> bool:
        """Tell whether a regular file is there, not a link."""
        return self.state(path) is not None

    def state(self, path: str) -> State | None:
        """Return the state of a regular file, or None when none can be seen, or a link leads to it."""
        place = str(self.root)
        try:
            for part in path.split("/"):
                place = f"{place}/{part}"
                found = os.lstat(place)
                if stat.S_ISLNK(found.st_mode):
                    return None
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        return State.of(found) if stat.S_ISREG(found.st_mode) else None

    def inside(self, given: object) -> str:
        """Return a path as one below the root, or refuse it."""
        if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
            raise InvalidInput("path", f"must be the path of an experience, not {given!r}")
        path = Path(checks.storable("path", os.fsdecode(given)))
        for base in (self._given, self.root):
            with suppress(ValueError):
                path = path.relative_to(base)
                break
        hidden = ".." in path.parts or any(part.startswith(".") for part in path.parts)
        filed = len(path.parts) > 1 and path.suffix == SUFFIX and path.name not in IGNORED
        if path.is_absolute() or hidden or not filed:
            raise InvalidInput("path", f"{given} is no experience in {self.root}")
        return path.as_posix()

    def set_index_aside(self) -> None:
        """Remove everything derived; programs that have it open keep what they have open."""
        aside = self.root / f"{HIDDEN}-{token_hex(4)}"
        with _in_our_words(self.root):
            self.hidden.rename(aside)
            shutil.rmtree(aside)

    @contextmanager
    def _opened(self, folder: str, *, make: bool = False) -> Iterator[int]:
        """Lend an open folder below the root."""
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in folder.split("/") if folder else ():
                above, descriptor = descriptor, _step(descriptor, part, make=make)
                os.close(above)
            yield descriptor
        finally:
            os.close(descriptor)


def _step(above: int, part: str, *, make: bool) -> int:
    """Open a folder in an open one, making it when asked to."""
    if part in ("", ".", ".."):
        raise InvalidInput("path", f"holds {part!r}; it must lead down from the root")
    try:
        return os.open(part, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=above)
            os.fsync(above)
        return os.open(part, _FOLDER, dir_fd=above)
    except OSError as error:
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link(above, part)):
            raise LinkInTheWay(f"{part} is a symbolic link; an experience tree follows none, remove it") from None
        raise


def _is_link(above: int, part: str) -> bool:
    return stat.S_ISLNK(os.stat(part, dir_fd=above, follow_symlinks=False).st_mode)


def _signed(number: int) -> int:
    """Return a number of the system's in 64 bits with a sign, which is what a database keeps."""
    return number if -(2**63) <= number < 2**63 else (number + 2**63) % 2**64 - 2**63


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _readable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _fill(waiting: int, name: str, data: bytes, *, sync: bool) -> State:
    descriptor = os.open(name, _NEW, 0o644, dir_fd=waiting)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        if sync:
            os.fsync(descriptor)
        return State.of(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    """Have the names in a folder written to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_all(folder: int, names: Sequence[str]) -> None:
    """Have files of a folder written to the disk: one by one, or in one go where the system can."""
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is not None:
        if syncfs(folder):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return
    for name in names:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _in_our_words(root: Path) -> Iterator[None]:
    """Turn the system's errors into ours, but for a name that is taken."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(
                f"the disk of {root} is full; nothing was changed, free some space and try again"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise ReadOnlyStore(f"{root} cannot be written: {error.strerror}; check its permissions") from error
        raise StoreError(f"{root}: {error.strerror}") from error
