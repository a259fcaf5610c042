"""The file of a derived index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "index.bin"
PARTIAL = ".index-"
"""The prefix of an index file that is being written, or whose writer was killed."""


def drop(folder: Path) -> None:
    """Delete the index of a folder and any partial ones; it is rebuilt when needed."""
    for file in (folder / NAME, *folder.glob(f"{PARTIAL}*")):
        file.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Flush a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
