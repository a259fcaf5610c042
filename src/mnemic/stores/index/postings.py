"""An inverted index: for each term the rows that hold it, and the search by words in them."""

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
_LEAST_WEIGHT = 1e-6
_LONGEST_KNOWN = 40
"""Keys of longer terms are not kept: they are seldom met again."""
_MOST_COUNTED = 65_535
_FEW = 16
"""Some rows are looked up one by one among the entries of a term when those are so many times as many."""


class TermRows(NamedTuple):
    """The rows that hold some terms, one term after the other, and how often; `counts` tells how many hold each."""

    row: NDArray[np.int32]
    often: NDArray[np.uint16]
    counts: list[int]

    def only(self, terms: Sequence[int]) -> TermRows:
        """Return what was found of some of the terms, by their places."""
        runs = [slice(start, end) for start, end in pairwise([0, *accumulate(self.counts)])]
        row, often = (np.concatenate([column[runs[place]] for place in terms]) for column in (self.row, self.often))
        return TermRows(row, often, [self.counts[place] for place in terms])


@dataclass(slots=True, eq=False)
class Postings:
    """The terms of some rows.

    `term` holds the keys of all terms in order. From `start` of one to `start` of the next go its entries: a `row`
    that holds it, and how often, `count`. `length` tells how many terms each row has.
    """

    term: NDArray[np.int64]
    start: NDArray[np.int64]
    row: NDArray[np.int32]
    count: NDArray[np.uint16]
    length: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Postings:
        """Return the postings of texts, one a row."""
        keys, lengths = array("q"), array("i")
        for text in texts:
            held = [_key(term) for term in terms(text)]
            keys.extend(held)
            lengths.append(len(held))
        key, length = np.array(keys, np.int64), np.array(lengths, np.int32)
        row = np.repeat(np.arange(len(length), dtype=np.int32), length)
        order = np.argsort(key, kind="stable")
        key, row = key[order], row[order]
        first = np.flatnonzero(_changes(key) | _changes(row))
        count = np.diff(first, append=len(key)).clip(max=_MOST_COUNTED).astype(np.uint16)
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

    def some(self, rows: NDArray[np.intp]) -> Postings:
        """Return some of the rows, in the order they are given."""
        places = np.full(len(self.length), -1, np.int32)
        places[rows] = np.arange(len(rows), dtype=np.int32)
        row = places[self.row]
        kept = np.flatnonzero(row >= 0)
        key, row = self._keys()[kept], row[kept]
        order = np.lexsort((row, key))
        return self._of_entries(key[order], row[order], self.count[kept][order], self.length[rows])

    @property
    def are_sound(self) -> bool:
        """Tell whether every term has entries, and every entry a row, so that they can be searched."""
        start, row = self.start, self.row
        return bool(
            start[0] == 0
            and start[-1] == len(row)
            and (start[1:] > start[:-1]).all()
            and row.min(initial=0) >= 0
            and row.max(initial=-1) < len(self.length)
        )

    def find(self, keys: NDArray[np.int64], rows: NDArray[np.intp], mask: NDArray[np.bool_] | None) -> TermRows:
        """Return which of some rows, which the mask marks unless they are all, hold terms."""
        places = [self._places(entries, rows, mask) for entries in self._entries(keys)]
        held = [self.row[one] for one in places]
        row, often = np.concatenate(held), np.concatenate([self.count[one] for one in places])
        counts = list(map(len, held))
        if mask is not None:
            chosen = mask.take(row).nonzero()[0]
            ends = chosen.searchsorted(list(accumulate(counts))).tolist()
            row, often, counts = row[chosen], often[chosen], [end - start for start, end in pairwise([0, *ends])]
        return TermRows(row, often, counts)

    def _entries(self, keys: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return where the entries of terms start and stop."""
        if not len(self.term):
            return [(0, 0)] * len(keys)
        places = self.term[:-1].searchsorted(keys)
        stops = self.start[places + (self.term[places] == keys)]
        return list(zip(self.start[places].tolist(), stops.tolist(), strict=True))

    def _places(
        self, entries: tuple[int, int], rows: NDArray[np.intp], mask: NDArray[np.bool_] | None
    ) -> slice | NDArray[np.intp]:
        """Return where the entries of a term are among which those of some rows are."""
        start, stop = entries
        if mask is None or len(rows) * _FEW > stop - start:
            return slice(start, stop)
        held = self.row[start:stop]
        near = np.minimum(held.searchsorted(rows), len(held) - 1)
        found: NDArray[np.intp] = start + near[held[near] == rows]
        return found

    def scores(
        self, term_rows: TermRows, weights: NDArray[np.float64], usual_length: float, rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return those of some rows that hold terms, which were found, with their BM25 score."""
        row, often, counts = term_rows
        damping = _K1 * (1 - _B + _B / usual_length * self.length[row])
        share = weights.repeat(counts) * often / (often + damping)
        sums = _sums(row if len(rows) == len(self.length) else rows.searchsorted(row), share)
        places = sums.nonzero()[0]
        return rows[places], sums[places]

    def _keys(self) -> NDArray[np.int64]:
        """Return the key of each entry."""
        return np.repeat(self.term, np.diff(self.start))

    @classmethod
    def _of_entries(
        cls,
        key: NDArray[np.int64],
        row: NDArray[np.int32],
        count: NDArray[np.uint16],
        length: NDArray[np.int32],
    ) -> Postings:
        """Return the postings of entries that are in order."""
        start = np.flatnonzero(_changes(key))
        return cls(key[start], np.append(start, len(key)), row, count, length)


def weight(frequency: int, total: int) -> float:
    """Return what a term weighs in BM25, from how many of all memories hold it."""
    return (_K1 + 1) * max(_LEAST_WEIGHT, math.log((total - frequency + 0.5) / (frequency + 0.5)))


def keys_of(terms: Iterable[str]) -> NDArray[np.int64]:
    """Return what stands for terms in postings."""
    return np.array([_key(term) for term in terms], np.int64)


def _sums(places: NDArray[np.integer], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the values of each place."""
    return np.bincount(places, values)  # type: ignore[return-value]  # with values to add, numpy returns floats


def _changes(values: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell for each value whether it differs from the one before it; the first one does."""
    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def _key(term: str) -> int:
    return _known_key(term) if len(term) <= _LONGEST_KNOWN else _new_key(term)


@lru_cache(maxsize=1 << 15)
def _known_key(term: str) -> int:
    return _new_key(term)


def _new_key(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little", signed=True)
