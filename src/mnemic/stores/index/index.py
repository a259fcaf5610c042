"""The derived index: what recall scans in place of the file, caught up with it before every search."""

from __future__ import annotations

import bisect
import threading
from typing import TYPE_CHECKING

import numpy as np

from mnemic.stores.index import columns
from mnemic.stores.index.columns import Columns
from mnemic.stores.index.part import Part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mnemic.stores.index.columns import Source, State

_LEAST_SAVED = 2_000
_SAVED_SHARE = 8
_GROWTH = 16


class Index:
    """The columns of every memory in a few parts, the largest first, each in the order of numbers.

    The first part may be mapped from a file, which anybody may delete: it is written again after many changes.
    """

    def __init__(self, dimension: int | None, file: Path | None) -> None:
        """Derive what a store holds, with vectors of a dimension or, without one, with none and without a file."""
        self._dimension = dimension or 1
        self._file = None if dimension is None else file
        self._lock = threading.Lock()
        self._parts: list[Part] = []
        self._turns: dict[int, list[tuple[int, int]]] = {}
        self._state: State | None = None
        self._saved = 0

    def parts(self, source: Source) -> tuple[list[Part], bool]:
        """Return the rows of a store, and whether they have vectors that can be compared.

        Another thread may have seen more of them already; what this one cannot see is left out when it is loaded.
        """
        with self._lock:
            self._catch_up(source)
            return list(self._parts), self._state is not None and self._state.vectors is not None

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

    def check(self, source: Source) -> str | None:
        """Compare what the index holds with the store."""
        with self._lock:
            self._catch_up(source)
            held, wanted = self._whole(), columns.read(source.rows(), self._dimension)
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

    def _catch_up(self, source: Source) -> None:
        """Take in what happened in the store since the last time."""
        state = source.state
        if state == self._state or (self._state is not None and self._state.continues(state)):
            return
        last, self._state = self._state, None  # if this is interrupted, it starts afresh next time
        if last is None or not state.continues(last):
            self._parts, self._turns, self._saved = [], {}, 0
            last = self._start(source)
        if state != last:
            self._follow(source, last)
        self._state = state
        self._save(source)

    def _start(self, source: Source) -> State:
        """Start from the file when it is of this line of changes, else from the store; return the state reached."""
        loaded = None if self._file is None else columns.load(self._file, self._dimension)
        if loaded is not None and source.state.continues(loaded[1]):
            whole, reached = loaded
            self._saved = len(whole)
        else:
            whole, reached = columns.read(source.rows(), self._dimension), source.state
        self._parts = [Part(whole)] if len(whole) else []
        return reached

    def _follow(self, source: Source, last: State) -> None:
        """Take in the memories that are new, changed or forgotten since a state."""
        changed = source.changed_since(last.last_seq)
        self._remove([*source.forgotten_since(last.last_seq), *changed])
        self._add(columns.read(source.rows_after(last.last_seq), self._dimension))
        if changed:
            self._add(columns.read(source.rows_of(changed), self._dimension))

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

    def _save(self, source: Source) -> None:
        """Write the file when much of what it should hold is not in it; where it cannot be written, go on without.

        The store is synced first: a file that outlives its changes would be taken for the state after other changes.
        """
        if self._file is None or self._state is None:
            return
        held = sum(len(part.columns) for part in self._parts)
        dead = sum(part.dead for part in self._parts)
        unsaved = held - (len(self._parts[0].columns) if self._saved else 0) + dead
        if unsaved <= max(_LEAST_SAVED, self._saved // _SAVED_SHARE):
            return
        whole = self._whole()
        try:
            source.sync()
            columns.save(whole, self._state, self._file)
        except OSError:
            self._file = None
            return
        self._parts, self._saved = [Part(whole)], len(whole)
