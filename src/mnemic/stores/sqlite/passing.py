"""Which memories pass a filter, kept from one search to the next: a filter on JSON looks at every row of the store."""

from __future__ import annotations

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
    from mnemic.stores.index.columns import Stand

_KEPT = 8
_CHANGED = "SELECT m.seq FROM changes AS c CROSS JOIN memories AS m ON m.id = c.memory_id WHERE c.seq > ?"


class Passing:
    """Know the numbers that pass the last few filters, whenever they hold, and bring them up to date."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, tuple[Any, ...]], tuple[Stand, NDArray[np.int64]]] = OrderedDict()

    def numbers(self, connection: sqlite3.Connection, selection: Selection, stand: Stand | None) -> NDArray[np.int64]:
        """Return the numbers that pass in the store as a connection sees it, in order; some may be forgotten since."""
        condition = Condition(replace(selection, as_of=None, include_superseded=True))
        key = (condition.sql, tuple(condition.values))
        last, numbers = self._known.get(key, (None, np.empty(0, np.int64)))
        if stand is None or last is None or not stand.continues(last):
            numbers = _selected(connection, condition.sql, condition.values)
        elif stand != last:
            numbers = _followed(connection, condition, numbers, last.last_seq)
        if stand is not None and (last is None or not last.continues(stand)):
            self._known[key] = (stand, numbers)
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
