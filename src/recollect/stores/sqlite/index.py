"""The derived index: what recall scans in place of the file, caught up with it before every search."""

from __future__ import annotations

import bisect
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from recollect.model.memory import end_of
from recollect.stores.sqlite import columns, vectors
from recollect.stores.sqlite.columns import TIERS, UNIT, Columns, Stand, keys_of, sides
from recollect.stores.sqlite.passing import Passing
from recollect.stores.sqlite.schema import LAST_SEQ

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from recollect.model.embedding import EmbeddingModel
    from recollect.model.filter import Selection

_EXACT = 1_500
"""Up to so many rows are compared exactly; more are first sifted by the sides they lie on."""
_LEAST_RESCORED = 1_000
_RESCORED_SHARE = 250
_LEAST_SAVED = 2_000
_SAVED_SHARE = 8
_GROWTH = 16
_BATCH = 500
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Index:
    """Hold the columns of every memory in a few parts, the largest first, each in the order of numbers.

    The first part may be mapped from a file, which anybody may delete: it is written again after many changes.
    """

    def __init__(self, model: EmbeddingModel, file: Path | None) -> None:
        self._model = model
        self._file = file
        self._lock = threading.Lock()
        self._parts: list[_Part] = []
        self._turns: dict[int, list[tuple[int, int]]] = {}
        self._stand: Stand | None = None
        self._saved = 0
        self._passing = Passing()

    def nearest(
        self, connection: sqlite3.Connection, vector: NDArray[np.float32], selection: Selection, limit: int
    ) -> list[tuple[int, float]]:
        """Return the numbers of the selected memories nearest to a vector, with their cosine, best first."""
        with self._lock:
            self._catch_up(connection)
            passing = None
            if selection.where is not None:
                passing = self._passing.numbers(connection, selection, _stand(connection))
            found = [pair for part in self._parts for pair in part.nearest(vector, selection, passing, limit)]
        return sorted(found, key=lambda pair: (-pair[1], -pair[0]))[:limit]

    def cosines(
        self, connection: sqlite3.Connection, vector: NDArray[np.float32], numbers: Sequence[int]
    ) -> dict[int, float]:
        """Return how near memories are to a vector, by number."""
        wanted = np.array(numbers, np.int64)
        found: dict[int, float] = {}
        with self._lock:
            self._catch_up(connection)
            for part in self._parts:
                rows = part.rows_of(wanted)
                found.update(zip(part.columns.number[rows].tolist(), part.cosines(vector, rows).tolist(), strict=True))
        return found

    def neighbours(
        self, connection: sqlite3.Connection, numbers: Sequence[int]
    ) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each of these memories in its session."""
        wanted = np.array(numbers, np.int64)
        found: dict[int, tuple[int | None, int | None]] = {}
        with self._lock:
            self._catch_up(connection)
            for part in self._parts:
                if not part.has_turns:
                    continue
                rows = part.rows_of(wanted)
                turns = zip(*(column[rows].tolist() for column in part.columns.turn_columns), strict=True)
                found.update((number, self._around(key, since, number)) for key, since, number in turns if key)
        return found

    def check(self, connection: sqlite3.Connection) -> str | None:
        """Compare what the index holds with the store."""
        with self._lock:
            self._catch_up(connection)
            if self._stand is None:
                return None
            held = self._whole()
            wanted = columns.read(connection, self._stand.table, self._model.dimension)
        if held == wanted:
            return None
        return f"the index of {len(held)} memories differs from the {len(wanted)} that are stored"

    def _around(self, key: int, since: int, number: int) -> tuple[int | None, int | None]:
        turns = self._turns_of(key)
        place = bisect.bisect_left(turns, (since, number))
        return (
            turns[place - 1][1] if place > 0 else None,
            turns[place + 1][1] if place + 1 < len(turns) else None,
        )

    def _turns_of(self, key: int) -> list[tuple[int, int]]:
        """Return the turns of a session in their order, each as its time and number."""
        if key not in self._turns:
            found: list[tuple[int, int]] = []
            for part in self._parts:
                rows = part.living(np.flatnonzero(part.columns.turns == key))
                found += zip(part.columns.since[rows].tolist(), part.columns.number[rows].tolist(), strict=True)
            self._turns[key] = sorted(found)
        return self._turns[key]

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Take in what happened in the store since the last time.

        Another thread may have seen more of it already; what this one cannot see is left out when it is loaded.
        """
        stand = _stand(connection)
        if stand == self._stand or (stand and self._stand and self._stand.continues(stand)):
            return
        vectors.check_current(connection, vectors.table_of(connection, self._model))
        if stand is None or self._stand is None or not stand.continues(self._stand):
            self._parts, self._turns, self._stand, self._saved = [], {}, None, 0
            if stand is not None:
                self._start(connection, stand)
        if stand is not None and self._stand is not None and stand != self._stand:
            self._follow(connection, self._stand)
        self._stand = stand
        self._save()

    def _start(self, connection: sqlite3.Connection, stand: Stand) -> None:
        """Start from the file when it is of this line of changes, else from the store."""
        loaded = None if self._file is None else columns.load(self._file)
        if loaded is not None and stand.continues(loaded[1]):
            whole, self._stand = loaded
            self._saved = len(whole)
        else:
            whole, self._stand = columns.read(connection, stand.table, self._model.dimension), stand
        self._parts = [_Part(whole)] if len(whole) else []

    def _follow(self, connection: sqlite3.Connection, last: Stand) -> None:
        """Take in the memories that are new, changed or forgotten since a state."""
        gone = connection.execute(
            "SELECT f.seq FROM changes AS c JOIN forgotten AS f ON f.id = c.memory_id WHERE c.seq > ?", (last.last_seq,)
        ).fetchall()
        changed = connection.execute(
            "SELECT DISTINCT m.seq FROM changes AS c JOIN memories AS m ON m.id = c.memory_id "
            "WHERE c.seq > ? AND m.seq <= ? AND kind NOT IN ('repeated', 'linked', 'unlinked')",
            (last.last_seq, last.last_seq),
        ).fetchall()
        self._remove([number for (number,) in (*gone, *changed)])
        self._add(columns.read(connection, last.table, self._model.dimension, "m.seq > ?", [last.last_seq]))
        for start in range(0, len(changed), _BATCH):
            some = [number for (number,) in changed[start : start + _BATCH]]
            condition = f"m.seq IN ({', '.join('?' * len(some))})"
            self._add(columns.read(connection, last.table, self._model.dimension, condition, some))

    def _remove(self, numbers: Sequence[int]) -> None:
        for part in self._parts if numbers else ():
            rows = part.rows_of(np.array(numbers, np.int64))
            self._forget_turns(part.columns.turns[rows])
            part.kill(rows)

    def _add(self, new: Columns) -> None:
        """Add rows as a part of their own, joined with those before it that are not much larger."""
        if not len(new):
            return
        self._forget_turns(new.turns)
        self._parts.append(_Part(new))
        while len(self._parts) > 1 and len(self._parts[-2].columns) < _GROWTH * len(self._parts[-1].columns):
            last, before = self._parts.pop(), self._parts.pop()
            living = [part.columns.some(part.living()) for part in (before, last)]
            self._parts.append(_Part(Columns.joined(living)))

    def _forget_turns(self, keys: NDArray[np.int64]) -> None:
        for key in set(keys.tolist()):
            self._turns.pop(key, None)

    def _whole(self) -> Columns:
        living = (part.columns.some(part.living()) for part in self._parts)
        return Columns.joined([Columns.empty(self._model.dimension), *living])

    def _save(self) -> None:
        """Write the file when much of what it should hold is not in it; where it cannot be written, go on without."""
        if self._file is None or self._stand is None:
            return
        held = sum(len(part.columns) for part in self._parts)
        dead = sum(part.dead for part in self._parts)
        unsaved = held - (len(self._parts[0].columns) if self._saved else 0) + dead
        if unsaved <= max(_LEAST_SAVED, self._saved // _SAVED_SHARE):
            return
        whole = self._whole()
        try:
            columns.save(whole, self._stand, self._file)
        except OSError:
            self._file = None
            return
        self._parts, self._saved = [_Part(whole)], len(whole)


class _Part:
    """Hold some rows, and which of them are dead."""

    def __init__(self, held: Columns) -> None:
        self.columns = held
        self._living = np.arange(len(held))
        self._dead = np.zeros(len(held), bool)
        self._ever = bool((held.until == columns.ALWAYS).all())
        self.has_turns = bool(held.turns.any())

    @property
    def dead(self) -> int:
        """Count the dead rows."""
        return len(self._dead) - len(self._living)

    def kill(self, rows: NDArray[np.intp]) -> None:
        """Have some rows found no more."""
        self._dead[rows] = True
        self._living = np.flatnonzero(~self._dead)

    def living(self, rows: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """Return the rows, or those of some, that are not dead."""
        if rows is None:
            return self._living
        return rows[~self._dead[rows]] if self.dead else rows

    def rows_of(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the living rows of these numbers, as far as they are here."""
        held = self.columns.number
        if not len(held):
            return self._living
        rows = np.searchsorted(held[:-1], numbers)
        return self.living(rows[held[rows] == numbers])

    def holding(self, rows: NDArray[np.intp], selection: Selection) -> NDArray[np.intp]:
        """Return those of some rows that hold at the time of a selection."""
        moment = _microseconds(selection.now if selection.as_of is None else end_of(selection.as_of))
        if not selection.include_superseded and not self._ever:
            rows = rows[self.columns.until[rows] > moment]
        return rows if selection.as_of is None else rows[self.columns.since[rows] <= moment]

    def nearest(
        self,
        vector: NDArray[np.float32],
        selection: Selection,
        passing: NDArray[np.int64] | None,
        limit: int,
    ) -> list[tuple[int, float]]:
        """Return the numbers of the selected rows nearest to a vector, with their cosine."""
        rows = self._selected(selection) if passing is None else self.holding(self.rows_of(passing), selection)
        if len(rows) > _EXACT:
            rows = self._sifted(vector, rows, max(_LEAST_RESCORED, len(rows) // _RESCORED_SHARE, 2 * limit))
        cosines = self.cosines(vector, rows)
        if len(rows) > limit:
            best = np.argpartition(-cosines, limit - 1)[:limit]
            rows, cosines = rows[best], cosines[best]
        return list(zip(self.columns.number[rows].tolist(), cosines.tolist(), strict=True))

    def cosines(self, vector: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the cosines of some rows with a vector."""
        near: NDArray[np.float32] = np.einsum(  # BLAS would wake every core for this
            "ij,j->i", self.columns.vectors[rows].astype(np.float32), vector / np.float32(UNIT)
        )
        return near

    def _selected(self, selection: Selection) -> NDArray[np.intp]:
        if selection.scope is None:
            rows = self.living()
        else:
            keys = iter(keys_of(selection.scope).items())
            column, key = next(keys)
            rows = np.flatnonzero(getattr(self.columns, column) == key)
            for column, key in keys:
                rows = rows[getattr(self.columns, column)[rows] == key]
            rows = self.living(rows)
        if selection.tier is not None:
            rows = rows[self.columns.tier[rows] == TIERS.index(selection.tier)]
        return self.holding(rows, selection)

    def _sifted(self, vector: NDArray[np.float32], rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
        """Return the rows that lie on the same side of the most planes, at least as many as asked for."""
        if count >= len(rows):
            return rows
        everything = len(rows) == len(self.columns)
        apart = np.zeros(len(rows), np.uint16)
        for plane, side in zip(self.columns.planes, sides(vector[np.newaxis])[:, 0], strict=True):
            apart += np.bitwise_count((plane if everything else plane[rows]) ^ side)
        near = int(np.searchsorted(np.cumsum(np.bincount(apart)), count))
        return rows[apart <= near]


def _stand(connection: sqlite3.Connection) -> Stand | None:
    generation, table, last_seq = connection.execute(
        "SELECT (SELECT value FROM meta WHERE key = 'generation'), (SELECT value FROM meta WHERE key = 'vectors'), "
        + LAST_SEQ
    ).fetchone()
    return None if table is None else Stand(generation, table, last_seq)


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
