"""The file of a derived index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "index.bin"
PARTIAL = ".index-"
"""How the name of an index starts while it is written, and when its writer was killed."""


def drop(folder: Path) -> None:
    """Delete the index of a folder and any that is half written; whoever needs it writes it anew."""
    for file in (folder / NAME, *folder.glob(f"{PARTIAL}*")):
        file.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have a file or folder written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
