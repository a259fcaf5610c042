"""Turn: one upkeep of a mind at a time, in whatever process."""

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

MARK = "upkeep turn"
_LEASE = timedelta(minutes=10)


@contextmanager
def turn(mind: Mind) -> Iterator[Callable[[], None]]:
    """Hold the turn, and give a function that renews it; a turn that is not renewed for ten minutes is free again."""
    me = str(uuid4())
    held = mind.mark(MARK)
    if held is not None and datetime.fromisoformat(json.loads(held)["until"]) > datetime.now(UTC):
        raise Conflict("another upkeep of this mind is at work; wait until it ends")
    mine = _written(me)
    if not mind.set_mark(MARK, mine, was=held):
        raise Conflict("another upkeep of this mind has just begun; wait until it ends")

    def renew() -> None:
        nonlocal mine
        longer = _written(me)
        if not mind.set_mark(MARK, longer, was=mine):
            raise Conflict("this upkeep was away for too long, and another one took its turn")
        mine = longer

    try:
        yield renew
    finally:
        mind.set_mark(MARK, None, was=mine)


def _written(owner: str) -> str:
    return json.dumps({"owner": owner, "until": (datetime.now(UTC) + _LEASE).isoformat()})
