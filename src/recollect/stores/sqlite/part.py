"""Some rows of the derived index, and what is found in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recollect.model.memory import end_of
from recollect.stores.sqlite.columns import ALWAYS, TIERS, UNIT, Columns, keys_of, sides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from recollect.model.filter import Selection

_EXACT = 1_500
"""Up to so many rows are compared exactly; more are first sifted by the sides they lie on."""
_LEAST_RESCORED = 1_000
_RESCORED_SHARE = 250
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


Scored: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.floating]]"
"""Numbers of memories, and the score of each."""


class Part:
    """Hold some rows, and which of them are dead."""

    def __init__(self, held: Columns) -> None:
        self.columns = held
        self.has_turns = bool(held.turns.any())
        self.length = int(held.postings.length.sum())
        self._living = np.arange(len(held))
        self._dead = np.zeros(len(held), bool)
        self._ever = bool((held.until == ALWAYS).all())
        self._keyed_rows: dict[tuple[str, int], NDArray[np.intp]] = {}

    @property
    def dead(self) -> int:
        """Count the dead rows."""
        return len(self._dead) - len(self._living)

    @property
    def kept(self) -> Columns:
        """Return the columns of the living rows."""
        return self.columns.some(self._living) if self.dead else self.columns

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

    def selected(self, selection: Selection, passing: NDArray[np.int64] | None) -> NDArray[np.intp]:
        """Return the selected rows; `passing` holds the numbers that pass the filter, where there is one."""
        return self._holding(self._in_scope(selection) if passing is None else self.rows_of(passing), selection)

    def nearest(self, vector: NDArray[np.float32], rows: NDArray[np.intp], limit: int) -> Scored:
        """Return the numbers of those of some rows that are nearest to a vector, with their cosine."""
        if len(rows) > _EXACT:
            rows = self._sifted(vector, rows, max(_LEAST_RESCORED, len(rows) // _RESCORED_SHARE, 2 * limit))
        return self._best(rows, self._cosines(vector, rows), limit)

    def cosines(self, vector: NDArray[np.float32], numbers: NDArray[np.int64]) -> Scored:
        """Return how near the rows of these numbers are to a vector, as far as they are here."""
        rows = self.rows_of(numbers)
        return self.columns.number[rows], self._cosines(vector, rows)

    def best_by_words(
        self,
        entries: Sequence[tuple[int, int]],
        weights: Sequence[float],
        usual_length: float,
        rows: NDArray[np.intp],
        limit: int,
    ) -> Scored:
        """Return the numbers of those of some rows that hold terms best, with their BM25 score."""
        selected = None if len(rows) == len(self.columns) else rows
        return self._best(*self.columns.postings.scores(entries, weights, usual_length, selected), limit)

    def _best(self, rows: NDArray[np.integer], scores: NDArray[np.floating], limit: int) -> Scored:
        """Return the numbers of the rows with the best scores and those as good as the last of them, in no order."""
        if len(rows) > limit:
            bar = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            best = np.flatnonzero(scores >= bar)
            rows, scores = rows[best], scores[best]
        return self.columns.number[rows], scores

    def _cosines(self, vector: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        near: NDArray[np.float32] = np.einsum(  # BLAS would wake every core for this
            "ij,j->i", self.columns.vectors[rows].astype(np.float32), vector / np.float32(UNIT)
        )
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
        """Return the rows with a key in a column; they are remembered, as many as there are rows."""
        rows = self._keyed_rows.get((column, key))
        if rows is None:
            rows = np.flatnonzero(getattr(self.columns, column) == key)
            if sum(map(len, self._keyed_rows.values())) + len(rows) > len(self.columns):
                self._keyed_rows = {}
            self._keyed_rows[column, key] = rows
        return rows

    def _holding(self, rows: NDArray[np.intp], selection: Selection) -> NDArray[np.intp]:
        """Return those of some rows that hold at the time of a selection."""
        moment = min(_microseconds(selection.now if selection.as_of is None else end_of(selection.as_of)), ALWAYS - 1)
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


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
