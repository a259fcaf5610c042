"""Endpoints over HTTP: the check of their address, and when a request is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

HEADERS = {"user-agent": "mnemic"}

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a request is sent again, and how long to wait before that."""

    retries: int
    chance: Callable[[], float] = random.random

    def wait(self, tried: int, *, retry_after: str | None = None) -> float | None:
        """Return the seconds to wait before the next try, or None to give up.

        A Retry-After header decides, up to a minute. Otherwise the wait doubles with every try and is shortened by up
        to half at random, so that many clients do not return at the same moment.
        """
        requested = _seconds(retry_after)
        if tried >= self.retries or (requested or 0) > _LONGEST_WAIT:
            return None
        return _FIRST_WAIT * 2**tried * (1 - self.chance() / 2) if requested is None else requested


def may_pass(status: int) -> bool:
    """Return whether a refused request may succeed when it is sent again."""
    failed = status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED
    return failed or status == HTTPStatus.TOO_MANY_REQUESTS


def checked_url(base_url: str) -> str:
    """Return the base URL of an API without a slash at its end."""
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.username is not None or parts.query or parts.fragment:
        raise InvalidInput("base_url", "must look like https://host/v1, without a user, a query or a fragment")
    return base_url.rstrip("/")


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, as a number or as a time."""
    if not retry_after:
        return None
    try:
        if retry_after.isdecimal():
            return float(retry_after)
        return max(0.0, (parsedate_to_datetime(retry_after).astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except ValueError:
        return None
