"""The ids of memories."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_CHANCE = 0x0FFF_3FFF_FFFF_FFFF_FFFF
_VERSION_AND_VARIANT = 0x7000_8000_0000_0000_0000
"""What the last 80 bits of a UUIDv7 leave to chance, and what not."""


def new_id(now: datetime) -> str:
    """Return a UUIDv7: the milliseconds of `now`, then chance."""
    milliseconds = max(0, int(now.timestamp() * 1000))
    chance = int.from_bytes(os.urandom(10)) & _CHANCE
    told = f"{milliseconds << 80 | chance | _VERSION_AND_VARIANT:032x}"
    return f"{told[:8]}-{told[8:12]}-{told[12:16]}-{told[16:20]}-{told[20:]}"
