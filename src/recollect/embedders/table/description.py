"""What the table's description says about it."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from recollect.errors import DamagedModel

if TYPE_CHECKING:
    from pathlib import Path


@cache
def described(folder: Path) -> dict[str, object]:
    """Read what the table's description says about it."""
    try:
        about: dict[str, object] = json.loads((folder / "table.json").read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedModel(f"the description of the embedding table in {folder} cannot be read") from error
    return about
