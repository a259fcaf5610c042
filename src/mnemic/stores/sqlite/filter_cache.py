"""The numbers of the memories that pass a filter, kept between searches: a filter on JSON looks at every row."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemic.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mnemic.model.filter import Selection
    from mnemic.stores.index.columns import State

_KEPT = 8
_CHANGED = "SELECT m.seq FROM changes AS c CROSS JOIN memories AS m ON m.id = c.memory_id WHERE c.seq > ?"


class FilterCache:
    """The numbers that pass the last few filters, whatever their time, brought up to date when they are asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, tuple[Any, ...]], tuple[State, NDArray[np.int64]]] = OrderedDict()

    def numbers(self, connection: sqlite3.Connection, selection: Selection, state: State) -> NDArray[np.int64]:
        """Return the numbers that pass in the state a connection sees, in order; some may be forgotten since."""
        condition = Condition(replace(selection, as_of=None, include_superseded=True))
        key = (condition.sql, tuple(condition.values))
        with self._lock:
            last, numbers = self._known.get(key, (None, np.empty(0, np.int64)))
            if last is None or not state.continues(last):
                numbers = _selected(connection, condition.sql, condition.values)
            elif state != last:
                numbers = _followed(connection, condition, numbers, last.last_seq)
            if last is None or not last.continues(state):
                self._known[key] = (state, numbers)
                if len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            if key in self._known:
                self._known.move_to_end(key)
        return numbers


def _followed(
    connection: sqlite3.Connection, condition: Condition, numbers: NDArray[np.int64], last_seq: int
) -> NDArray[np.int64]:
    """Look again at the memories that are new or changed since a state."""
    changed = _selected(connection, f"seq IN ({_CHANGED})", [last_seq])
    fresh = f"(seq > ? OR seq IN ({_CHANGED})) AND {condition.sql}"
    found = _selected(connection, fresh, [last_seq, last_seq, *condition.values])
    return np.union1d(np.setdiff1d(numbers, changed, assume_unique=True), found)


def _selected(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> NDArray[np.int64]:
    found = connection.execute(f"SELECT seq FROM memories WHERE {sql} ORDER BY seq", values)
    return np.fromiter((seq for (seq,) in found), np.int64)
