"""A cache of the memories that pass a filter: evaluating a filter on JSON reads every row."""

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

_MAX_CACHED = 8
_CHANGED = "SELECT m.seq FROM changes AS c CROSS JOIN memories AS m ON m.id = c.memory_id WHERE c.seq > ?"


class FilterCache:
    """The numbers of the memories that pass the last few filters, updated before each use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cached: OrderedDict[tuple[str, tuple[Any, ...]], tuple[State, NDArray[np.int64]]] = OrderedDict()

    def numbers(self, connection: sqlite3.Connection, selection: Selection, state: State) -> NDArray[np.int64]:
        """Return the numbers of memories that pass in a snapshot, in order; some may have been forgotten since."""
        condition = Condition(replace(selection, as_of=None, include_superseded=True))
        key = (condition.sql, tuple(condition.values))
        with self._lock:
            last, numbers = self._cached.get(key, (None, np.empty(0, np.int64)))
            if last is None or not state.continues(last):
                numbers = _selected(connection, condition.sql, condition.values)
            elif state != last:
                numbers = _updated(connection, condition, numbers, last.last_seq)
            if last is None or not last.continues(state):
                self._cached[key] = (state, numbers)
                if len(self._cached) > _MAX_CACHED:
                    self._cached.popitem(last=False)
            if key in self._cached:
                self._cached.move_to_end(key)
        return numbers


def _updated(
    connection: sqlite3.Connection, condition: Condition, numbers: NDArray[np.int64], last_seq: int
) -> NDArray[np.int64]:
    """Evaluate the filter again for memories that are new or changed since a state."""
    changed = _selected(connection, f"seq IN ({_CHANGED})", [last_seq])
    new_or_changed = f"(seq > ? OR seq IN ({_CHANGED})) AND {condition.sql}"
    passing = _selected(connection, new_or_changed, [last_seq, last_seq, *condition.values])
    return np.union1d(np.setdiff1d(numbers, changed, assume_unique=True), passing)


def _selected(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> NDArray[np.int64]:
    rows = connection.execute(f"SELECT seq FROM memories WHERE {sql} ORDER BY seq", values)
    return np.fromiter((seq for (seq,) in rows), np.int64)
