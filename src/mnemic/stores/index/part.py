"""Some rows of the derived index, and what is found in them."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mnemic.model.memory import TIERS
from mnemic.stores.index.columns import ALWAYS_AT, UNIT, Columns, keys_of, sides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mnemic.model.filter import Selection
    from mnemic.stores.index.postings import TermRows

_EXACT = 1_500
"""Up to so many rows are compared exactly; more are first sifted by the sides they lie on."""
_LEAST_RESCORED = 1_000
_RESCORED_SHARE = 250
_BLOCK = 100
"""So many rows are compared at a time: what they take stays in the processor's cache, and what was there stays too."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


Scored: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.floating]]"
"""Numbers of memories, and the score of each."""


class Picked(NamedTuple):
    """Some rows of a part in order, and for every row of the part whether it is one of them; None: all are."""

    rows: NDArray[np.intp]
    mask: NDArray[np.bool_] | None


class Part:
    """Some rows, and which of them are dead; a search that has begun does not see later changes."""

    def __init__(self, held: Columns) -> None:
        self.columns = held
        self.has_turns = bool(held.turns.any())
        self._living = np.arange(len(held))
        self._dead = np.zeros(len(held), bool)
        self._ever = bool((held.until == ALWAYS_AT).all())
        self._keyed_rows: dict[tuple[str, int], NDArray[np.intp]] = {}

    @property
    def dead(self) -> int:
        """Count the dead rows."""
        return len(self._dead) - len(self._living)

    @property
    def kept(self) -> Columns:
        """Return the columns of the living rows."""
        return self.columns.some(self._living) if self.dead else self.columns

    def without(self, rows: NDArray[np.intp]) -> Part:
        """Return this part with some more rows dead."""
        if not len(rows):
            return self
        part = copy.copy(self)
        part._dead = self._dead.copy()
        part._dead[rows] = True
        part._living = np.flatnonzero(~part._dead)
        return part

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
        rows = held[:-1].searchsorted(numbers)
        return self.living(rows[held[rows] == numbers])

    def selected(self, selection: Selection, passing: NDArray[np.int64] | None) -> Picked:
        """Return the selected rows; `passing` holds the numbers that pass the filter, where there is one."""
        rows = self._holding(self._in_scope(selection) if passing is None else self.rows_of(passing), selection)
        if len(rows) == len(self.columns):
            return Picked(rows, None)
        mask = np.zeros(len(self.columns), bool)
        mask[rows] = True
        return Picked(rows, mask)

    def length(self, picked: Picked) -> int:
        """Return how many terms some rows have together."""
        lengths = self.columns.postings.length
        return int((lengths if picked.mask is None else lengths[picked.rows]).sum())

    def has_turns_in(self, picked: Picked) -> bool:
        """Tell whether any of some rows is a turn of a session."""
        if picked.mask is None or not self.has_turns:
            return self.has_turns
        return bool(self.columns.turns[picked.rows].any())

    def nearest(
        self, vector: NDArray[np.float32], rows: NDArray[np.intp], limit: int, also: NDArray[np.int64]
    ) -> Scored:
        """Return the numbers of those of some rows that are nearest to a vector, and of `also`, with their cosine."""
        wanted = self.rows_of(also)
        if len(rows) > _EXACT:
            rows = self._sifted(vector, rows, max(_LEAST_RESCORED, len(rows) // _RESCORED_SHARE, 2 * limit))
            rows = np.union1d(rows, wanted)
        cosines = self._cosines(vector, rows)
        if len(rows) > limit:
            marked = _at_least_the_last_of(cosines, limit)
            marked[rows.searchsorted(wanted)] = True
            best = marked.nonzero()[0]
            rows, cosines = rows[best], cosines[best]
        return self.columns.number[rows], cosines

    def turns(
        self, numbers: NDArray[np.int64], *, vectors: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """Return number, session, time, length and vector of the rows of these numbers, as far as they are here."""
        rows, held = self.rows_of(numbers), self.columns
        told = held.vectors[rows].astype(np.float32) if vectors else np.empty((len(rows), 0), np.float32)
        return held.number[rows], held.turns[rows], held.since[rows], held.postings.length[rows], told

    def best_by_words(
        self, term_rows: TermRows, weights: NDArray[np.float64], usual_length: float, picked: Picked, limit: int
    ) -> Scored:
        """Return the numbers of those of some rows that hold terms best, with their BM25 score."""
        rows, scores = self.columns.postings.scores(term_rows, weights, usual_length, picked.rows)
        if len(rows) > limit:
            best = _at_least_the_last_of(scores, limit)
            rows, scores = rows[best], scores[best]
        return self.columns.number[rows], scores

    def _cosines(self, vector: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return how near some rows are to a vector; a matrix product would wake every core."""
        scaled, held = vector / np.float32(UNIT), self.columns.vectors
        near = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _BLOCK):
            some = slice(start, start + _BLOCK)
            np.vecdot(held.take(rows[some], axis=0), scaled, out=near[some])
        return near

    def _in_scope(self, selection: Selection) -> NDArray[np.intp]:
        if selection.scope is None:
            rows = self.living()
        else:
            keys = iter(keys_of(selection.scope).items())
            rows = self._keyed(*next(keys))
            for column, key in keys:
                rows = rows[getattr(self.columns, column)[rows] == key]
            rows = self.living(rows)
        if selection.tier is not None:
            rows = rows[self.columns.tier[rows] == TIERS.index(selection.tier)]
        return rows

    def _keyed(self, column: str, key: int) -> NDArray[np.intp]:
        """Return the rows with a key in a column; keys and rows are remembered, together as many as there are rows."""
        rows = self._keyed_rows.get((column, key))
        if rows is None:
            rows = np.flatnonzero(getattr(self.columns, column) == key)
            known = list(self._keyed_rows.values())
            if len(known) + sum(map(len, known)) + len(rows) > len(self.columns):
                self._keyed_rows = {}
            self._keyed_rows[column, key] = rows
        return rows

    def _holding(self, rows: NDArray[np.intp], selection: Selection) -> NDArray[np.intp]:
        """Return those of some rows that hold at the time of a selection."""
        if selection.as_of is None and (selection.include_superseded or self._ever):
            return rows
        moment = min(_microseconds(selection.moment), ALWAYS_AT - 1)
        if not selection.include_superseded and not self._ever:
            rows = rows[self.columns.until[rows] > moment]
        return rows if selection.as_of is None else rows[self.columns.since[rows] <= moment]

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


def _at_least_the_last_of(scores: NDArray[np.floating], limit: int) -> NDArray[np.bool_]:
    """Mark the best of more scores than that, and those as good as the last of them."""
    parted = scores.copy()
    parted.partition(len(scores) - limit)
    marked: NDArray[np.bool_] = scores >= parted[len(scores) - limit]
    return marked


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
