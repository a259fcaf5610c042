"""Supersession: when a newer memory closes an older one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.time import end_of, start_of

if TYPE_CHECKING:
    from mnemic.model.memory import Memory
    from mnemic.model.time import When


def closing_time(old: Memory, new: Memory, at: object) -> When:
    """Return when the old memory ends: `at`, else when the new one happened or was stored, but not before it began."""
    if at is None:
        closed_at = new.occurred_at or new.created_at
        return closed_at if start_of(closed_at) >= old.began_at else old.began_at
    closed_at = checks.when("at", at)
    if end_of(closed_at) < old.began_at:
        raise InvalidInput("at", f"is before the memory began, at {old.began_at.isoformat()}")
    return closed_at
