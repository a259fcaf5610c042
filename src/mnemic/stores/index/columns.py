"""The columns of the derived index, in memory or mapped from a file."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, shake_128
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from mnemic.model.memory import TIERS
from mnemic.stores.index import files
from mnemic.stores.index.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from mnemic.model.scope import Scope

_FORMAT = 2
_HEADER = 4096
_ALIGNMENT = 64
_BATCH = 512
_BATCH_CHARACTERS = 1 << 22
_PLANES = 512
_PLANE_SEED = bytes.fromhex("7265636f6c6c656374")
UNIT = 32_767
"""The integer that stands for 1 in stored vectors."""
Row: TypeAlias = "tuple[int, str | None, str | None, str | None, str, str, str, bytes | None, str]"
"""Number, agent, user, session, tier, start and end of validity, vector and text of a memory.

Times are ISO 8601 in UTC, without the zone; a vector is little-endian 16-bit floats.
"""
FOREVER = "9999-12-31T23:59:59.999999"
"""The end of a memory that stays valid."""
NEVER = "0001-01-01"
"""The end of a memory that ended before it began."""
FOREVER_AT = int(np.datetime64(FOREVER, "us").astype(np.int64))


@dataclass(frozen=True, slots=True)
class State:
    """A state of a store: its generation, the table of vectors in use, and the number of the last change.

    The generation is an id that changes whenever the changes since an older state can no longer be listed.
    """

    generation: str
    vectors: str | None
    last_seq: int

    def continues(self, other: State) -> bool:
        """Return whether this state can be reached from another by applying the changes in between."""
        same_generation = (self.generation, self.vectors) == (other.generation, other.vectors)
        return same_generation and self.last_seq >= other.last_seq


class Source(Protocol):
    """What an index reads from a store; all answers come from one snapshot."""

    @property
    def state(self) -> State:
        """The state of the snapshot."""

    def rows(self) -> Iterable[Row]:
        """Return every memory, ordered by number."""

    def rows_after(self, number: int) -> Iterable[Row]:
        """Return the memories with higher numbers, in order."""

    def rows_of(self, numbers: Sequence[int]) -> Iterable[Row]:
        """Return the memories with these numbers, in order."""

    def forgotten_since(self, seq: int) -> list[int]:
        """Return the numbers of memories forgotten after a change."""

    def changed_since(self, seq: int) -> list[int]:
        """Return the numbers of memories that were created before a change and modified after it."""

    def sync(self) -> None:
        """Flush the store to disk, so that no index survives a power failure that undoes its changes."""


@dataclass(slots=True, eq=False)
class Columns:
    """Rows of the index, column by column.

    `agent`, `user` and `session` are hashes of the names, 0 for none; `turns` hashes all three together for a turn of a
    session. `since` and `until` are the start and end of validity in microseconds. `planes` are sign bits of the
    vectors' random projections, 64 to a word. `vectors` are integers in units of 1/`UNIT`, which convert to 32-bit
    floats many times faster than 16-bit floats do.
    """

    postings: Postings
    number: NDArray[np.int64]
    agent: NDArray[np.int64]
    user: NDArray[np.int64]
    session: NDArray[np.int64]
    turns: NDArray[np.int64]
    since: NDArray[np.int64]
    until: NDArray[np.int64]
    tier: NDArray[np.int8]
    planes: NDArray[np.uint64]
    vectors: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Columns) and all(map(np.array_equal, self.arrays(), other.arrays()))

    def arrays(self) -> list[NDArray[Any]]:
        """Return all arrays, in the order of the file."""
        return [
            *(getattr(self, name) for name in _ARRAYS),
            *(getattr(self.postings, name) for name in self.postings.__slots__),
        ]

    @property
    def turn_columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the sort columns of turns: session, time, number."""
        return self.turns, self.since, self.number

    @classmethod
    def empty(cls, dimension: int) -> Columns:
        """Return columns without rows."""
        return cls(Postings.of([]), *(np.zeros(shape, kind) for shape, kind in _shapes(0, dimension)))

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """Return the rows of all parts, ordered by number."""
        if len(parts) == 1:
            return parts[0]
        joined = cls(
            Postings.joined([part.postings for part in parts]),
            *(np.concatenate([getattr(part, name) for part in parts], axis=_axis(name)) for name in _ARRAYS),
        )
        is_ordered = bool((joined.number[1:] > joined.number[:-1]).all())
        return joined if is_ordered else joined.take(np.argsort(joined.number))

    def take(self, rows: NDArray[np.intp]) -> Columns:
        """Return the given rows."""
        return Columns(
            self.postings.take(rows), *(np.take(getattr(self, name), rows, axis=_axis(name)) for name in _ARRAYS)
        )


_ARRAYS = tuple(name for name in Columns.__slots__ if name != "postings")


def _axis(name: str) -> int:
    return 1 if name == "planes" else 0


def _shapes(count: int, dimension: int) -> list[tuple[tuple[int, ...], str]]:
    planes = (_PLANES // 64, count)
    return [*[((count,), "<i8")] * 7, ((count,), "<i1"), (planes, "<u8"), ((count, dimension), "<i2")]


def _posting_shapes(count: int, terms: int, entries: int) -> list[tuple[tuple[int, ...], str]]:
    return [((terms,), "<i8"), ((terms + 1,), "<i8"), ((entries,), "<i4"), ((entries,), "<u2"), ((count,), "<i4")]


@lru_cache(maxsize=256)
def key_of(*names: str | None) -> int:
    """Return the hash of a name, or of several names together; 0 for None."""
    if names == (None,):
        return 0
    joined = "\0".join("" if name is None else f"={name}" for name in names)
    return int.from_bytes(blake2b(joined.encode(), digest_size=8).digest(), "little", signed=True) or 1


def keys_of(scope: Scope) -> dict[str, int]:
    """Return the columns that a scope restricts, with their values."""
    if scope.is_nobody:
        return {"user": 0, "agent": 0, "session": 0}
    keys = {"session": scope.session, "user": scope.user, "agent": scope.agent}
    return {column: key_of(name) for column, name in keys.items() if name is not None}


def sign_bits(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return the signs of random projections of vectors, one row of words per 64 projections.

    The projections are orthogonal: random sign flips, then a fast Hadamard transform. (A matrix product would make BLAS
    start a thread on every core.)
    """
    count, dimension = vectors.shape
    width = 1 << (max(dimension, _PLANES) - 1).bit_length()
    projected = np.tile(vectors, (1, -(-width // dimension)))[:, :width] * _signs(width)
    step = 1
    while step < width:
        pairs = projected.reshape(count, -1, 2, step)
        first, second = pairs[:, :, 0], pairs[:, :, 1]
        projected = np.empty_like(pairs)
        np.add(first, second, out=projected[:, :, 0])
        np.subtract(first, second, out=projected[:, :, 1])
        step *= 2
    packed = np.packbits(projected.reshape(count, -1)[:, :_PLANES] > 0, axis=1)
    return np.ascontiguousarray(packed.view("<u8").T)


@lru_cache(maxsize=2)
def _signs(count: int) -> NDArray[np.float32]:
    bits = np.frombuffer(shake_128(_PLANE_SEED).digest(count), np.uint8) & 1
    return bits.astype(np.float32) * 2 - 1


def read(rows: Iterable[Row], dimension: int) -> Columns:
    """Return the columns of rows, ordered by number."""
    remaining = iter(rows)
    parts = [_columns(chain([first], remaining), dimension) for first in remaining]
    return Columns.joined(parts or [Columns.empty(dimension)])


def _columns(rows: Iterable[Row], dimension: int) -> Columns:
    """Return the columns of the next batch of rows, at least one."""
    batch: list[tuple[Any, ...]] = []
    postings = Postings.of(_texts_of(rows, batch))
    number, agent, user, session, tier, since, until, blobs = zip(*batch, strict=True)
    known: dict[tuple[str | None, ...], int] = {}

    def keys(*columns: Sequence[str | None]) -> NDArray[np.int64]:
        names_of_rows = list(zip(*columns, strict=True))
        known.update({names: key_of(*names) for names in set(names_of_rows) - known.keys()})
        return np.array([known[names] for names in names_of_rows], np.int64)

    zeros = bytes(2 * dimension)
    halves = np.frombuffer(b"".join(blob or zeros for blob in blobs), "<f2")
    vectors = halves.astype(np.float32).reshape(len(batch), dimension).clip(-1, 1)
    sessions = keys(session)
    return Columns(
        postings,
        np.array(number, np.int64),
        keys(agent),
        keys(user),
        sessions,
        np.where(sessions == 0, 0, keys(agent, user, session)),
        np.array(since, "datetime64[us]").astype(np.int64),
        np.array(until, "datetime64[us]").astype(np.int64),
        np.array([TIERS.index(name) for name in tier], np.int8),
        sign_bits(vectors),
        np.rint(vectors * UNIT).astype(np.int16),
    )


def _texts_of(rows: Iterable[Row], batch: list[tuple[Any, ...]]) -> Iterator[str]:
    """Yield the text of each row and append the other fields to a batch, so that one text is in memory at a time."""
    characters = 0
    for *row, text in rows:
        batch.append(tuple(row))
        yield text
        characters += len(text)
        if len(batch) == _BATCH or characters > _BATCH_CHARACTERS:
            return


def save(columns: Columns, state: State, file: Path) -> None:
    """Write columns to a file atomically."""
    dimension = columns.vectors.shape[1]
    sizes = (len(columns), dimension, len(columns.postings.term), len(columns.postings.row))
    header = json.dumps([_FORMAT, state.generation, state.vectors, state.last_seq, *sizes])
    descriptor, partial = tempfile.mkstemp(dir=file.parent, prefix=files.PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as target:
            target.write(header.encode().ljust(_HEADER))
            for array in columns.arrays():
                target.write(np.ascontiguousarray(array).data)
                target.write(bytes(-target.tell() % _ALIGNMENT))
            target.flush()
            os.fsync(target.fileno())
        Path(partial).replace(file)
        files.sync(file.parent)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def load(file: Path, dimension: int) -> tuple[Columns, State] | None:
    """Map a file into memory; None if it is missing, unreadable or of another dimension."""
    try:
        with file.open("rb") as source:
            mapped = np.frombuffer(mmap(source.fileno(), 0, access=ACCESS_READ), np.uint8)
        version, generation, vectors, *numbers = json.loads(mapped[:_HEADER].tobytes())
        last_seq, count, stored_dimension, terms, entries = map(int, numbers)
        shapes = [*_shapes(count, dimension), *_posting_shapes(count, terms, entries)]
        arrays, offset = [], _HEADER
        for shape, kind in shapes:
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            arrays.append(mapped[offset : offset + size].view(kind).reshape(shape))
            offset += size + -(offset + size) % _ALIGNMENT
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None
    column_count = len(_ARRAYS)
    postings = Postings(*arrays[column_count:])
    if (version, stored_dimension, len(mapped)) != (_FORMAT, dimension, offset) or not postings.are_consistent:
        return None
    return Columns(postings, *arrays[:column_count]), State(generation, vectors, last_seq)
