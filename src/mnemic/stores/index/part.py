"""A part of the derived index, and the searches in it."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mnemic.model.memory import TIERS
from mnemic.stores.index.columns import FOREVER_AT, UNIT, Columns, keys_of, sign_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mnemic.model.filter import Selection
    from mnemic.stores.index.postings import TermMatches

_MAX_EXACT = 1_500
"""The number of rows up to which every cosine is computed; more rows are first filtered by their sign bits."""
_MIN_RESCORED = 1_000
_RESCORED_SHARE = 250
_BLOCK = 100
"""The number of rows compared at a time, small enough for the processor's cache."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


Scored: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.floating]]"
"""Numbers of memories, and their scores."""


class SelectedRows(NamedTuple):
    """The selected rows of a part, in order, and a mask of them; a mask of None means all rows."""

    rows: NDArray[np.intp]
    mask: NDArray[np.bool_] | None


class Part:
    """Rows of the index, some of them deleted; a part does not change, so a running search sees no later changes."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.has_turns = bool(columns.turns.any())
        self._live = np.arange(len(columns))
        self._is_deleted = np.zeros(len(columns), bool)
        self._none_ends = bool((columns.until == FOREVER_AT).all())
        self._rows_by_key: dict[tuple[str, int], NDArray[np.intp]] = {}

    @property
    def deleted(self) -> int:
        """The number of deleted rows."""
        return len(self._is_deleted) - len(self._live)

    @property
    def live_columns(self) -> Columns:
        """The columns without the deleted rows."""
        return self.columns.take(self._live) if self.deleted else self.columns

    def without(self, rows: NDArray[np.intp]) -> Part:
        """Return this part with more rows deleted."""
        if not len(rows):
            return self
        part = copy.copy(self)
        part._is_deleted = self._is_deleted.copy()
        part._is_deleted[rows] = True
        part._live = np.flatnonzero(~part._is_deleted)
        return part

    def live(self, rows: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """Return the rows that are not deleted, of all or of the given ones."""
        if rows is None:
            return self._live
        return rows[~self._is_deleted[rows]] if self.deleted else rows

    def rows_of(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the live rows of these numbers, leaving out numbers of other parts."""
        column = self.columns.number
        if not len(column):
            return self._live
        rows = column[:-1].searchsorted(numbers)
        return self.live(rows[column[rows] == numbers])

    def selected(self, selection: Selection, passing: NDArray[np.int64] | None) -> SelectedRows:
        """Return the selected rows; `passing` are the numbers that pass the filter, if there is one."""
        rows = self._valid(self._in_scope(selection) if passing is None else self.rows_of(passing), selection)
        if len(rows) == len(self.columns):
            return SelectedRows(rows, None)
        mask = np.zeros(len(self.columns), bool)
        mask[rows] = True
        return SelectedRows(rows, mask)

    def length(self, selected: SelectedRows) -> int:
        """Return the total number of terms in the selected rows."""
        lengths = self.columns.postings.length
        return int((lengths if selected.mask is None else lengths[selected.rows]).sum())

    def has_turns_in(self, selected: SelectedRows) -> bool:
        """Return whether any selected row is a turn of a session."""
        if selected.mask is None or not self.has_turns:
            return self.has_turns
        return bool(self.columns.turns[selected.rows].any())

    def nearest(
        self, vector: NDArray[np.float32], rows: NDArray[np.intp], limit: int, also: NDArray[np.int64]
    ) -> Scored:
        """Return the numbers and cosines of the rows nearest to a vector, and of those in `also`."""
        also_rows = self.rows_of(also)
        if len(rows) > _MAX_EXACT:
            rows = self._prefiltered(vector, rows, max(_MIN_RESCORED, len(rows) // _RESCORED_SHARE, 2 * limit))
            rows = np.union1d(rows, also_rows)
        cosines = self._cosines(vector, rows)
        if len(rows) > limit:
            mask = _top_mask(cosines, limit)
            mask[rows.searchsorted(also_rows)] = True
            best = mask.nonzero()[0]
            rows, cosines = rows[best], cosines[best]
        return self.columns.number[rows], cosines

    def session_columns(
        self, numbers: NDArray[np.int64], *, vectors: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """Return number, session, time, length and vector of these memories, leaving out those of other parts."""
        rows, columns = self.rows_of(numbers), self.columns
        floats = columns.vectors[rows].astype(np.float32) if vectors else np.empty((len(rows), 0), np.float32)
        return columns.number[rows], columns.turns[rows], columns.since[rows], columns.postings.length[rows], floats

    def best_by_words(
        self,
        matches: TermMatches,
        weights: NDArray[np.float64],
        average_length: float,
        selected: SelectedRows,
        limit: int,
    ) -> Scored:
        """Return the numbers and BM25 scores of the best selected rows."""
        rows, scores = self.columns.postings.scores(matches, weights, average_length, selected.rows)
        if len(rows) > limit:
            best = _top_mask(scores, limit)
            rows, scores = rows[best], scores[best]
        return self.columns.number[rows], scores

    def _cosines(self, vector: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the cosines of rows with a vector; a matrix product would start a thread on every core."""
        scaled, vectors = vector / np.float32(UNIT), self.columns.vectors
        cosines = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.vecdot(vectors.take(rows[block], axis=0), scaled, out=cosines[block])
        return cosines

    def _in_scope(self, selection: Selection) -> NDArray[np.intp]:
        if selection.scope is None:
            rows = self.live()
        else:
            keys = iter(keys_of(selection.scope).items())
            rows = self._rows_with(*next(keys))
            for column, key in keys:
                rows = rows[getattr(self.columns, column)[rows] == key]
            rows = self.live(rows)
        if selection.tier is not None:
            rows = rows[self.columns.tier[rows] == TIERS.index(selection.tier)]
        return rows

    def _rows_with(self, column: str, key: int) -> NDArray[np.intp]:
        """Return the rows with a key in a column, from a cache of at most as many entries as there are rows."""
        rows = self._rows_by_key.get((column, key))
        if rows is None:
            rows = np.flatnonzero(getattr(self.columns, column) == key)
            cached = list(self._rows_by_key.values())
            if len(cached) + sum(map(len, cached)) + len(rows) > len(self.columns):
                self._rows_by_key = {}
            self._rows_by_key[column, key] = rows
        return rows

    def _valid(self, rows: NDArray[np.intp], selection: Selection) -> NDArray[np.intp]:
        """Return the rows that are valid at the time of a selection."""
        if selection.as_of is None and (selection.include_superseded or self._none_ends):
            return rows
        moment = min(_microseconds(selection.moment), FOREVER_AT - 1)
        if not selection.include_superseded and not self._none_ends:
            rows = rows[self.columns.until[rows] > moment]
        return rows if selection.as_of is None else rows[self.columns.since[rows] <= moment]

    def _prefiltered(self, vector: NDArray[np.float32], rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
        """Return the rows whose sign bits differ least from the vector's, at least `count` of them."""
        if count >= len(rows):
            return rows
        is_all = len(rows) == len(self.columns)
        distances = np.zeros(len(rows), np.uint16)
        for plane, bits in zip(self.columns.planes, sign_bits(vector[np.newaxis])[:, 0], strict=True):
            distances += np.bitwise_count((plane if is_all else plane[rows]) ^ bits)
        farthest = int(np.searchsorted(np.cumsum(np.bincount(distances)), count))
        return rows[distances <= farthest]


def _top_mask(scores: NDArray[np.floating], limit: int) -> NDArray[np.bool_]:
    """Return a mask of the `limit` highest of more scores, with all that equal the last of them."""
    partitioned = scores.copy()
    partitioned.partition(len(scores) - limit)
    mask: NDArray[np.bool_] = scores >= partitioned[len(scores) - limit]
    return mask


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
