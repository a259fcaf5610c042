"""What holds for every endpoint that is asked over HTTP: its address, and how long it asks to wait."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from mnemic.errors import InvalidInput


def checked_url(base_url: str) -> str:
    """Return the base URL of an API, without a slash at its end."""
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.username is not None or parts.query or parts.fragment:
        raise InvalidInput("base_url", "must look like https://host/v1, without a user, a query or a fragment")
    return base_url.rstrip("/")


def seconds_asked_for(retry_after: str | None, *, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, given as a number or a time."""
    if not retry_after:
        return None
    try:
        if retry_after.isdecimal():
            return float(retry_after)
        return max(0.0, (parsedate_to_datetime(retry_after).astimezone(UTC) - now).total_seconds())
    except ValueError:
        return None
