"""SQLite's errors as errors of Mnemic, with what to do about them."""

from __future__ import annotations

import os
import shutil
import sqlite3
from typing import TYPE_CHECKING

from mnemic.errors import DamagedStore, NotAStore, ReadOnlyStore, StoreBusy, StoreError, StoreFull
from mnemic.sqlite.connection import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

_PAGE = 65536


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
