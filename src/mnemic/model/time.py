"""Days and instants: how they are compared, written and read back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TypeAlias

When: TypeAlias = date | datetime
"""A day (`date`) or an instant (aware UTC `datetime`)."""


def start_of(when: When) -> datetime:
    """Return the first instant of a day, or the instant itself."""
    return when if isinstance(when, datetime) else datetime.combine(when, time.min, UTC)


def end_of(when: When) -> datetime:
    """Return the last instant of a day, or the instant itself."""
    return when if isinstance(when, datetime) else datetime.combine(when, time.max, UTC)


def stamp(when: When) -> str:
    """Return a day or an instant as text; instants sort by time."""
    if not isinstance(when, datetime):
        return when.isoformat()
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def read_when(text: str) -> When:
    """Read a day or an instant in ISO 8601."""
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
