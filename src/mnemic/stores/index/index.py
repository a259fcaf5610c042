"""The derived index: what recall scans in place of the file, caught up with it before every search."""

from __future__ import annotations

import bisect
import threading
from typing import TYPE_CHECKING

import numpy as np

from mnemic.stores.index import columns
from mnemic.stores.index.columns import Columns, Stand
from mnemic.stores.index.part import Part
from mnemic.stores.sqlite import files, vectors
from mnemic.stores.sqlite.passing import Passing
from mnemic.stores.sqlite.schema import LAST_SEQ

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mnemic.model.embedding import EmbeddingModel
    from mnemic.model.filter import Selection

_LEAST_SAVED = 2_000
_SAVED_SHARE = 8
_GROWTH = 16
_BATCH = 500


class Index:
    """Hold the columns of every memory in a few parts, the largest first, each in the order of numbers.

    The first part may be mapped from a file, which anybody may delete: it is written again after many changes.
    """

    def __init__(self, model: EmbeddingModel | None, file: Path | None) -> None:
        """Derive what a store holds, with vectors of a model or, without one, with none and without a file."""
        self._model = model
        self._file = None if model is None else file
        self._lock = threading.Lock()
        self._parts: list[Part] = []
        self._turns: dict[int, list[tuple[int, int]]] = {}
        self._stand: Stand | None = None
        self._saved = 0
        self._passing = Passing()

    def parts(self, connection: sqlite3.Connection) -> tuple[list[Part], bool]:
        """Return the rows as a connection sees them, and whether they have vectors that can be compared.

        Another thread may have seen more of them already; what this one cannot see is left out when it is loaded.
        """
        with self._lock:
            self._catch_up(connection)
            return list(self._parts), self._stand is not None and self._stand.table is not None

    def passing(self, connection: sqlite3.Connection, selection: Selection) -> NDArray[np.int64]:
        """Return the numbers that pass the filter of a selection."""
        with self._lock:
            return self._passing.numbers(connection, selection, self._standing(connection))

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each of these memories in its session."""
        wanted = np.array(numbers, np.int64)
        found: dict[int, tuple[int | None, int | None]] = {}
        with self._lock:
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
            held, wanted = self._whole(), self._read(connection, self._standing(connection))
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
        """Take in what happened in the store since the last time."""
        stand = self._standing(connection)
        if stand == self._stand or (self._stand is not None and self._stand.continues(stand)):
            return
        if self._model is not None:
            vectors.check_current(connection, vectors.table_of(connection, self._model))
        last, self._stand = self._stand, None  # if this is interrupted, it starts afresh next time
        if last is None or not stand.continues(last):
            self._parts, self._turns, self._saved = [], {}, 0
            last = self._start(connection, stand)
        if stand != last:
            self._follow(connection, last)
        self._stand = stand
        self._save()

    def _start(self, connection: sqlite3.Connection, stand: Stand) -> Stand:
        """Start from the file when it is of this line of changes, else from the store; return the state reached."""
        loaded = None if self._file is None else columns.load(self._file, self._dimension)
        if loaded is not None and stand.continues(loaded[1]):
            whole, reached = loaded
            self._saved = len(whole)
        else:
            whole, reached = self._read(connection, stand), stand
        self._parts = [Part(whole)] if len(whole) else []
        return reached

    def _follow(self, connection: sqlite3.Connection, last: Stand) -> None:
        """Take in the memories that are new, changed or forgotten since a state.

        CROSS JOIN has SQLite start from the few changes, not from the many memories before them.
        """
        gone = connection.execute(
            "SELECT f.seq FROM changes AS c CROSS JOIN forgotten AS f ON f.id = c.memory_id WHERE c.seq > ?",
            (last.last_seq,),
        ).fetchall()
        changed = connection.execute(
            "SELECT DISTINCT m.seq FROM changes AS c CROSS JOIN memories AS m ON m.id = c.memory_id "
            "WHERE c.seq > ? AND m.seq <= ? AND kind NOT IN ('repeated', 'linked', 'unlinked')",
            (last.last_seq, last.last_seq),
        ).fetchall()
        self._remove([number for (number,) in (*gone, *changed)])
        self._add(self._read(connection, last, "m.seq > ?", [last.last_seq]))
        for start in range(0, len(changed), _BATCH):
            some = [number for (number,) in changed[start : start + _BATCH]]
            condition = f"m.seq IN ({', '.join('?' * len(some))})"
            self._add(self._read(connection, last, condition, some))

    def _read(
        self, connection: sqlite3.Connection, stand: Stand, condition: str = "TRUE", values: Sequence[int] = ()
    ) -> Columns:
        return columns.read(connection, stand.table, self._dimension, condition, values)

    def _remove(self, numbers: Sequence[int]) -> None:
        for place, part in enumerate(self._parts if numbers else ()):
            rows = part.rows_of(np.array(numbers, np.int64))
            self._forget_turns(part.columns.turns[rows])
            self._parts[place] = part.without(rows)

    def _add(self, new: Columns) -> None:
        """Add rows as a part of their own, joined with those before it that are not much larger."""
        if not len(new):
            return
        self._forget_turns(new.turns)
        self._parts.append(Part(new))
        while len(self._parts) > 1 and len(self._parts[-2].columns) < _GROWTH * len(self._parts[-1].columns):
            last, before = self._parts.pop(), self._parts.pop()
            self._parts.append(Part(Columns.joined([before.kept, last.kept])))

    def _forget_turns(self, keys: NDArray[np.int64]) -> None:
        for key in set(keys.tolist()):
            self._turns.pop(key, None)

    def _whole(self) -> Columns:
        return Columns.joined([part.kept for part in self._parts] or [Columns.empty(self._dimension)])

    def _save(self) -> None:
        """Write the file when much of what it should hold is not in it; where it cannot be written, go on without.

        The log is synced first: a file that outlives changes would be taken for the state after others in their place.
        """
        if self._file is None or self._stand is None:
            return
        held = sum(len(part.columns) for part in self._parts)
        dead = sum(part.dead for part in self._parts)
        unsaved = held - (len(self._parts[0].columns) if self._saved else 0) + dead
        if unsaved <= max(_LEAST_SAVED, self._saved // _SAVED_SHARE):
            return
        whole = self._whole()
        try:
            files.sync(self._file.with_name(files.LOG))
            columns.save(whole, self._stand, self._file)
        except OSError:
            self._file = None
            return
        self._parts, self._saved = [Part(whole)], len(whole)

    @property
    def _dimension(self) -> int:
        return 1 if self._model is None else self._model.dimension

    def _standing(self, connection: sqlite3.Connection) -> Stand:
        generation, table, last_seq = connection.execute(
            "SELECT (SELECT value FROM meta WHERE key = 'generation'), "
            f"(SELECT value FROM meta WHERE key = 'vectors'), {LAST_SEQ}"
        ).fetchone()
        return Stand(generation, None if self._model is None else table, last_seq)
