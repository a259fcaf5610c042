"""Calls to the file system: open folders without following links, and write files to the disk."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from mnemic.errors import InvalidInput, LinkInTheWay, ReadOnlyStore, StoreError, StoreFull

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class FileState(NamedTuple):
    """The size, time and inode by which a changed file is noticed."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """Return the state in the answer of a stat call."""
        return cls(status.st_size, signed(status.st_mtime_ns), signed(status.st_ino))


@contextmanager
def opened(root: Path, folder: str, *, make: bool = False) -> Iterator[int]:
    """Open a folder below a root, step by step, and return its descriptor; `make` makes it when it is missing."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folder.split("/") if folder else ():
            above, descriptor = descriptor, _step(descriptor, part, make=make)
            os.close(above)
        yield descriptor
    finally:
        os.close(descriptor)


def _step(above: int, part: str, *, make: bool) -> int:
    if part in ("", ".", ".."):
        raise InvalidInput("path", f"contains {part!r}; it must lead down from the root")
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
            raise LinkInTheWay(f"{part} is a symbolic link, which is not followed; remove it") from None
        raise


def _is_link(above: int, part: str) -> bool:
    return stat.S_ISLNK(os.stat(part, dir_fd=above, follow_symlinks=False).st_mode)


def write_new(folder: int, name: str, data: bytes, *, sync: bool) -> FileState:
    """Write a new file in an open folder; with `sync`, wait until it is on the disk."""
    descriptor = os.open(name, _NEW, 0o644, dir_fd=folder)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        if sync:
            os.fsync(descriptor)
        return FileState.of(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_files(folder: int, names: Sequence[str]) -> None:
    """Wait until files of an open folder are on the disk, with a single call where the system has one."""
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


def signed(number: int) -> int:
    """Return an unsigned 64-bit number as the signed one that SQLite stores."""
    return number if -(2**63) <= number < 2**63 else (number + 2**63) % 2**64 - 2**63


@contextmanager
def translated_errors(root: Path) -> Iterator[None]:
    """Turn the system's errors into ours, except for a name that is taken."""
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
