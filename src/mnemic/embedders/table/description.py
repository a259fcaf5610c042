"""The description of the table: its name, size and checksums."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from mnemic.errors import DamagedModel

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"name": str, "dimension": int, "gram_weight": int, "files": dict}


@cache
def read_description(folder: Path) -> dict[str, object]:
    """Read the description of the table."""
    problem = f"table.json of the embedding table in {folder} cannot be read; install mnemic again"
    try:
        description: object = json.loads((folder / "table.json").read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedModel(problem) from error
    if not isinstance(description, dict) or any(
        not isinstance(description.get(field), kind) for field, kind in FIELDS.items()
    ):
        raise DamagedModel(problem)
    return description
