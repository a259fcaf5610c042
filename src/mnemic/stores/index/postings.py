"""Postings: an inverted index from terms to rows, searched with BM25."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mnemic.rules.language.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_K1, _B = 1.2, 0.75
_MIN_WEIGHT = 1e-6
_MAX_CACHED_LENGTH = 40
"""Keys of longer terms are not cached: they rarely occur again."""
_MAX_COUNT = 65_535
_LOOKUP_RATIO = 16
"""If a term has so many times more postings than there are rows, the rows are looked up one by one."""


class TermMatches(NamedTuple):
    """The postings of several terms, one term after the other: rows, frequencies, and the number of rows per term."""

    row: NDArray[np.int32]
    frequency: NDArray[np.uint16]
    counts: list[int]

    def only(self, terms: Sequence[int]) -> TermMatches:
        """Return the matches of the terms at these positions."""
        runs = [slice(start, end) for start, end in pairwise([0, *accumulate(self.counts)])]
        row, frequency = (
            np.concatenate([column[runs[index]] for index in terms]) for column in (self.row, self.frequency)
        )
        return TermMatches(row, frequency, [self.counts[index] for index in terms])


@dataclass(slots=True, eq=False)
class Postings:
    """The postings of rows.

    `term` are the keys of all terms, sorted. The postings of a term go from its `start` to the next one's: a `row` and
    the `count` of the term in it. `length` is the number of terms of each row.
    """

    term: NDArray[np.int64]
    start: NDArray[np.int64]
    row: NDArray[np.int32]
    count: NDArray[np.uint16]
    length: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Postings:
        """Return the postings of texts, one row each."""
        keys, lengths = array("q"), array("i")
        for text in texts:
            text_keys = [_key(term) for term in terms(text)]
            keys.extend(text_keys)
            lengths.append(len(text_keys))
        key, length = np.array(keys, np.int64), np.array(lengths, np.int32)
        row = np.repeat(np.arange(len(length), dtype=np.int32), length)
        order = np.argsort(key, kind="stable")
        key, row = key[order], row[order]
        first = np.flatnonzero(_changes(key) | _changes(row))
        count = np.diff(first, append=len(key)).clip(max=_MAX_COUNT).astype(np.uint16)
        return cls._of_entries(key[first], row[first], count, length)

    @classmethod
    def joined(cls, parts: Sequence[Postings]) -> Postings:
        """Return the rows of all parts, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        key = np.concatenate([part._keys() for part in parts])
        offsets = np.cumsum([0, *(len(part.length) for part in parts)])
        row = np.concatenate(
            [part.row + np.int32(offset) for part, offset in zip(parts, offsets[:-1].tolist(), strict=True)]
        )
        order = np.argsort(key, kind="stable")
        count = np.concatenate([part.count for part in parts])[order]
        length = np.concatenate([part.length for part in parts])
        return cls._of_entries(key[order], row[order], count, length)

    def take(self, rows: NDArray[np.intp]) -> Postings:
        """Return the postings of the given rows, in the given order."""
        new_rows = np.full(len(self.length), -1, np.int32)
        new_rows[rows] = np.arange(len(rows), dtype=np.int32)
        row = new_rows[self.row]
        taken = np.flatnonzero(row >= 0)
        key, row = self._keys()[taken], row[taken]
        order = np.lexsort((row, key))
        return self._of_entries(key[order], row[order], self.count[taken][order], self.length[rows])

    @property
    def are_consistent(self) -> bool:
        """Whether every term has postings and every posting has a row, so that they can be searched."""
        start, row = self.start, self.row
        return bool(
            start[0] == 0
            and start[-1] == len(row)
            and (start[1:] > start[:-1]).all()
            and row.min(initial=0) >= 0
            and row.max(initial=-1) < len(self.length)
        )

    def find(self, keys: NDArray[np.int64], rows: NDArray[np.intp], mask: NDArray[np.bool_] | None) -> TermMatches:
        """Return the postings of terms in the given rows; a mask marks these, unless they are all rows."""
        ranges = [self._candidates(entries, rows, mask) for entries in self._entries(keys)]
        matches = [self.row[range_] for range_ in ranges]
        row, frequency = np.concatenate(matches), np.concatenate([self.count[range_] for range_ in ranges])
        counts = list(map(len, matches))
        if mask is not None:
            selected = mask.take(row).nonzero()[0]
            ends = selected.searchsorted(list(accumulate(counts))).tolist()
            row, frequency = row[selected], frequency[selected]
            counts = [end - start for start, end in pairwise([0, *ends])]
        return TermMatches(row, frequency, counts)

    def _entries(self, keys: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the start and end of each term's postings."""
        if not len(self.term):
            return [(0, 0)] * len(keys)
        indexes = self.term[:-1].searchsorted(keys)
        ends = self.start[indexes + (self.term[indexes] == keys)]
        return list(zip(self.start[indexes].tolist(), ends.tolist(), strict=True))

    def _candidates(
        self, entries: tuple[int, int], rows: NDArray[np.intp], mask: NDArray[np.bool_] | None
    ) -> slice | NDArray[np.intp]:
        """Return a range of a term's postings that includes all of the given rows: exact for few rows."""
        start, end = entries
        if mask is None or len(rows) * _LOOKUP_RATIO > end - start:
            return slice(start, end)
        term_rows = self.row[start:end]
        positions = np.minimum(term_rows.searchsorted(rows), len(term_rows) - 1)
        indexes: NDArray[np.intp] = start + positions[term_rows[positions] == rows]
        return indexes

    def scores(
        self, matches: TermMatches, weights: NDArray[np.float64], average_length: float, rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows with a match, out of the given ones, and their BM25 scores."""
        row, frequency, counts = matches
        damping = _K1 * (1 - _B + _B / average_length * self.length[row])
        scores = weights.repeat(counts) * frequency / (frequency + damping)
        sums = _sums(row if len(rows) == len(self.length) else rows.searchsorted(row), scores)
        indexes = sums.nonzero()[0]
        return rows[indexes], sums[indexes]

    def _keys(self) -> NDArray[np.int64]:
        """Return the key of each posting."""
        return np.repeat(self.term, np.diff(self.start))

    @classmethod
    def _of_entries(
        cls,
        key: NDArray[np.int64],
        row: NDArray[np.int32],
        count: NDArray[np.uint16],
        length: NDArray[np.int32],
    ) -> Postings:
        """Return postings from sorted entries."""
        start = np.flatnonzero(_changes(key))
        return cls(key[start], np.append(start, len(key)), row, count, length)


def weight(frequency: int, total: int) -> float:
    """Return the BM25 weight of a term that occurs in `frequency` of `total` memories."""
    return (_K1 + 1) * max(_MIN_WEIGHT, math.log((total - frequency + 0.5) / (frequency + 0.5)))


def keys_of(terms: Iterable[str]) -> NDArray[np.int64]:
    """Return the hashes of terms."""
    return np.array([_key(term) for term in terms], np.int64)


def _sums(indexes: NDArray[np.integer], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of the values with each index."""
    return np.bincount(indexes, values)  # type: ignore[return-value]  # with values to add, numpy returns floats


def _changes(values: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return for each value whether it differs from the previous one; the first always does."""
    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def _key(term: str) -> int:
    return _cached_key(term) if len(term) <= _MAX_CACHED_LENGTH else _new_key(term)


@lru_cache(maxsize=1 << 15)
def _cached_key(term: str) -> int:
    return _new_key(term)


def _new_key(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little", signed=True)
