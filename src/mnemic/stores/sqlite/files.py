"""The store's file in its folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mnemic.errors import NotAStore, ReadOnlyStore

if TYPE_CHECKING:
    from pathlib import Path

NAME = "mind.db"
LOG = "mind.db-wal"
INDEX = "index.bin"
PARTIAL_INDEX = ".index-"
"""How the name of an index starts while it is written, and when its writer was killed."""


def make(folder: Path) -> Path:
    """Return the store's file in a folder, making both when they are not there, so that a power cut keeps them."""
    file = folder / NAME
    try:
        if folder.exists() and not folder.is_dir():
            raise NotAStore(f"{folder} is a file; a mind lives in a folder of its own")
        if file.exists():
            return file
        new = [place for place in (folder, *folder.absolute().parents) if not place.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
        for place in (folder, *(place.absolute().parent for place in new)):
            sync(place)
    except OSError as error:
        raise ReadOnlyStore(f"{folder} cannot be written: {error.strerror}; choose another folder") from error
    return file


def sync(path: Path) -> None:
    """Have a file or folder written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drop_index(store: Path | None) -> None:
    """Delete the file of the derived index and any that is half written; whoever needs it writes it anew."""
    if store is not None:
        for file in (store.with_name(INDEX), *store.parent.glob(f"{PARTIAL_INDEX}*")):
            file.unlink(missing_ok=True)
