"""The derived index that recall searches, brought up to date with the store before every search."""

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

_MIN_SAVED = 2_000
_SAVED_SHARE = 8
_GROWTH = 16


class Index:
    """The columns of every memory in a few parts, the largest first, each ordered by number.

    The first part may be mapped from a file, which may be deleted at any time: it is written again after many changes.
    """

    def __init__(self, dimension: int | None, file: Path | None) -> None:
        """Make an empty index for vectors of a dimension; without one, it has neither vectors nor a file."""
        self._dimension = dimension or 1
        self._file = None if dimension is None else file
        self._lock = threading.Lock()
        self._parts: list[Part] = []
        self._turns: dict[int, list[tuple[int, int]]] = {}
        self._state: State | None = None
        self._saved_rows = 0

    def parts(self, source: Source) -> tuple[list[Part], bool]:
        """Return the parts of the index, and whether they have vectors.

        Another thread may have read a newer snapshot; rows that are too new are left out when memories are loaded.
        """
        with self._lock:
            self._catch_up(source)
            return list(self._parts), self._state is not None and self._state.vectors is not None

    def neighbours(self, numbers: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
        """Return the turns before and after each memory in its session."""
        searched = np.array(numbers, np.int64)
        neighbours: dict[int, tuple[int | None, int | None]] = {}
        with self._lock:
            for part in self._parts:
                if not part.has_turns:
                    continue
                rows = part.rows_of(searched)
                turns = zip(*(column[rows].tolist() for column in part.columns.turn_columns), strict=True)
                neighbours.update((number, self._adjacent(key, since, number)) for key, since, number in turns if key)
        return neighbours

    def check(self, source: Source) -> str | None:
        """Compare the index with the store; return the problem, if any."""
        with self._lock:
            self._catch_up(source)
            indexed, stored = self._joined(), columns.read(source.rows(), self._dimension)
        if indexed == stored:
            return None
        return f"the index of {len(indexed)} memories differs from the {len(stored)} that are stored"

    def _adjacent(self, key: int, since: int, number: int) -> tuple[int | None, int | None]:
        turns = self._turns_of(key)
        index = bisect.bisect_left(turns, (since, number))
        return (
            turns[index - 1][1] if index > 0 else None,
            turns[index + 1][1] if index + 1 < len(turns) else None,
        )

    def _turns_of(self, key: int) -> list[tuple[int, int]]:
        """Return the time and number of each turn of a session, in order."""
        if key not in self._turns:
            turns: list[tuple[int, int]] = []
            for part in self._parts:
                rows = part.live(np.flatnonzero(part.columns.turns == key))
                turns += zip(part.columns.since[rows].tolist(), part.columns.number[rows].tolist(), strict=True)
            self._turns[key] = sorted(turns)
        return self._turns[key]

    def _catch_up(self, source: Source) -> None:
        """Apply the changes of the store since the last search."""
        state = source.state
        if state == self._state or (self._state is not None and self._state.continues(state)):
            return
        last, self._state = self._state, None  # an interrupted update starts over next time
        if last is None or not state.continues(last):
            self._parts, self._turns, self._saved_rows = [], {}, 0
            last = self._start(source)
        if state != last:
            self._apply_changes(source, last)
        self._state = state
        self._save(source)

    def _start(self, source: Source) -> State:
        """Load the file if it is of the same generation, else read the store; return the state of what was read."""
        loaded = None if self._file is None else columns.load(self._file, self._dimension)
        if loaded is not None and source.state.continues(loaded[1]):
            all_rows, state = loaded
            self._saved_rows = len(all_rows)
        else:
            all_rows, state = columns.read(source.rows(), self._dimension), source.state
        self._parts = [Part(all_rows)] if len(all_rows) else []
        return state

    def _apply_changes(self, source: Source, last: State) -> None:
        """Update the rows of memories that are new, changed or forgotten since a state."""
        changed = source.changed_since(last.last_seq)
        self._remove([*source.forgotten_since(last.last_seq), *changed])
        self._add(columns.read(source.rows_after(last.last_seq), self._dimension))
        if changed:
            self._add(columns.read(source.rows_of(changed), self._dimension))

    def _remove(self, numbers: Sequence[int]) -> None:
        for index, part in enumerate(self._parts if numbers else ()):
            rows = part.rows_of(np.array(numbers, np.int64))
            self._forget_turns(part.columns.turns[rows])
            self._parts[index] = part.without(rows)

    def _add(self, new: Columns) -> None:
        """Append rows as a new part, and join it with the parts before it that are not much larger."""
        if not len(new):
            return
        self._forget_turns(new.turns)
        self._parts.append(Part(new))
        while len(self._parts) > 1 and len(self._parts[-2].columns) < _GROWTH * len(self._parts[-1].columns):
            last, before = self._parts.pop(), self._parts.pop()
            self._parts.append(Part(Columns.joined([before.live_columns, last.live_columns])))

    def _forget_turns(self, keys: NDArray[np.int64]) -> None:
        for key in set(keys.tolist()):
            self._turns.pop(key, None)

    def _joined(self) -> Columns:
        return Columns.joined([part.live_columns for part in self._parts] or [Columns.empty(self._dimension)])

    def _save(self, source: Source) -> None:
        """Write the file if enough rows are unsaved; if it cannot be written, continue without a file.

        The store is synced first: after a power failure, an index newer than the store would pass for a later state.
        """
        if self._file is None or self._state is None:
            return
        total = sum(len(part.columns) for part in self._parts)
        deleted = sum(part.deleted for part in self._parts)
        unsaved = total - (len(self._parts[0].columns) if self._saved_rows else 0) + deleted
        if unsaved <= max(_MIN_SAVED, self._saved_rows // _SAVED_SHARE):
            return
        joined = self._joined()
        try:
            source.sync()
            columns.save(joined, self._state, self._file)
        except OSError:
            self._file = None
            return
        self._parts, self._saved_rows = [Part(joined)], len(joined)
