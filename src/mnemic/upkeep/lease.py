"""The lease: one upkeep of a mind at a time, in any process."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from mnemic.errors import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemic.mind import Mind

MARK = "upkeep lease"
_LENGTH = timedelta(minutes=10)


@contextmanager
def lease(mind: Mind) -> Iterator[Callable[[], None]]:
    """Hold the lease and yield a function that renews it; a lease that is not renewed ends after ten minutes."""
    owner = str(uuid4())
    current = mind.mark(MARK)
    if current is not None and datetime.fromisoformat(json.loads(current)["until"]) > datetime.now(UTC):
        raise Conflict("another upkeep of this mind is running; wait until it ends")
    mine = _record(owner)
    if not mind.set_mark(MARK, mine, was=current):
        raise Conflict("another upkeep of this mind has just started; wait until it ends")

    def renew() -> None:
        nonlocal mine
        renewed = _record(owner)
        if not mind.set_mark(MARK, renewed, was=mine):
            raise Conflict("this upkeep lost its lease to another one, because it paused for too long; run it again")
        mine = renewed

    try:
        yield renew
    finally:
        mind.set_mark(MARK, None, was=mine)


def _record(owner: str) -> str:
    return json.dumps({"owner": owner, "until": (datetime.now(UTC) + _LENGTH).isoformat()})
