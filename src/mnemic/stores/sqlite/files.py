"""The store's file in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.errors import NotAStore, ReadOnlyStore
from mnemic.stores.index.files import sync

if TYPE_CHECKING:
    from pathlib import Path

NAME = "mind.db"
LOG = "mind.db-wal"


def make(folder: Path) -> Path:
    """Return the store's file in a folder, creating both if needed, so that they survive a power failure."""
    file = folder / NAME
    try:
        if folder.exists() and not folder.is_dir():
            raise NotAStore(f"{folder} is a file; a mind lives in a folder of its own")
        if file.exists():
            return file
        missing = [parent for parent in (folder, *folder.absolute().parents) if not parent.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
        for changed in (folder, *(parent.absolute().parent for parent in missing)):
            sync(changed)
    except OSError as error:
        raise ReadOnlyStore(f"{folder} cannot be written: {error.strerror}; choose another folder") from error
    return file
