"""The rows of the table, and how a text's vector is summed from them.

A text's vector is the weighted sum of the rows of its word pieces, scaled to length one. Words the vocabulary does
not spell out, such as Thai or Cyrillic ones, are summed from rows made of their character n-grams. Rows and weights
are whole numbers and every sum is exact, so a text has one vector, alone or in any batch, on any thread.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mnemic.embedders.table.description import described
from mnemic.errors import DamagedModel
from mnemic.onnx.wordpiece import WordPiece, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CHUNK = 4096
BUCKETS = 4096
_GRAM_SEED = bytes.fromhex("7265636f6c6c656374206e2d6772616d73")
"""The shipped networks and the calibration know the vectors that come from this seed."""
LAST_LATIN = "\u024f"

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Table:
    """The rows, their weights and their vocabulary."""

    name: str
    rows: npt.NDArray[np.int8]
    weights: npt.NDArray[np.float64]
    pieces: WordPiece


def vectors_of(texts: Sequence[str], folder: Path) -> Vectors:
    """Return one vector of length one per text."""
    table = read_table(folder)
    vectors = np.zeros((len(texts), table.rows.shape[1]), np.float32)
    for index, text in enumerate(texts):
        vectors[index] = vector_of(text, table)
    return vectors


def vector_of(text: str, table: Table) -> npt.NDArray[np.float64]:
    """Sum the rows of a text, chunk by chunk, and scale the sum to length one."""
    total = np.zeros(table.rows.shape[1])
    chunk: list[int] = []
    for piece in features(words_of(text), table.pieces):
        chunk.append(piece)
        if len(chunk) == CHUNK:
            total += weighted_sum(chunk, table)
            chunk = []
    if chunk:
        total += weighted_sum(chunk, table)
    length = float(np.sqrt((total * total).sum()))
    return total / length if length else total


def weighted_sum(pieces: list[int], table: Table) -> npt.NDArray[np.float64]:
    """Return the exact sum of the pieces' rows, each times its weight."""
    indexes = np.array(pieces)
    result: npt.NDArray[np.float64] = table.weights[indexes] @ table.rows[indexes].astype(np.float64)
    return result


def features(words: list[str], known: WordPiece) -> Iterator[int]:
    """Yield the row of each word piece, or of each n-gram where the word is foreign or unknown."""
    before = ""
    for word in words:
        pieces = known.pieces(word)
        if pieces != (known.unknown,) and not is_foreign(word):
            yield from pieces
            before = ""
            continue
        yield from (len(known.ids) + zlib.crc32(gram.encode()) % BUCKETS for gram in grams(before, word))
        before = word


def is_foreign(word: str) -> bool:
    """Tell whether a word has letters of another script than Latin."""
    return not word.isascii() and any(char > LAST_LATIN and char.isalpha() for char in word)


def grams(before: str, word: str) -> Iterator[str]:
    """Yield a word, the word with its neighbour, and the word's runs of two and three characters."""
    yield word
    if before:
        yield f"{before} {word}"
    edged = f"<{word}>"
    for size in (2, 3):
        yield from (edged[start : start + size] for start in range(len(edged) - size + 1))


@cache
def read_table(folder: Path) -> Table:
    """Read and check the table's files and add the rows for n-grams, once per process."""
    about = described(folder)
    vocabulary = checked(folder, "vocabulary.txt").decode().splitlines()
    dimension = int(str(about["dimension"]))
    rows = np.frombuffer(checked(folder, "rows.bin"), np.int8)
    if rows.size != len(vocabulary) * dimension:
        raise DamagedModel("table.json of the embedding table names another dimension; install mnemic again")
    weights = np.frombuffer(checked(folder, "weights.bin"), "<u2")
    heavy = np.full(BUCKETS, int(str(about["gram_weight"])))
    return Table(
        name=str(about["name"]),
        rows=np.concatenate([rows.reshape(-1, dimension), gram_rows(dimension)]),
        weights=np.concatenate([weights, heavy]).astype(np.float64),
        pieces=WordPiece(vocabulary),
    )


def checked(folder: Path, name: str) -> bytes:
    """Read one file and compare it with the checksum in the description."""
    files = described(folder)["files"]
    wanted = files.get(name) if isinstance(files, dict) else None
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise DamagedModel(f"{name} of the embedding table cannot be read; install mnemic again") from error
    if hashlib.sha256(content).hexdigest() != wanted:
        raise DamagedModel(f"{name} of the embedding table is not the file that was shipped; install mnemic again")
    return content


def gram_rows(dimension: int) -> npt.NDArray[np.int8]:
    """Make one fixed row of random signs for every bucket of n-grams."""
    bits = hashlib.shake_256(_GRAM_SEED).digest(BUCKETS * dimension // 8)
    signs = np.unpackbits(np.frombuffer(bits, np.uint8)).reshape(BUCKETS, dimension).view(np.int8)
    return signs * np.int8(64) - np.int8(32)
