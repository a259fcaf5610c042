"""The rows of the table, and the vectors summed from them.

A text's vector is the weighted sum of the rows of its word pieces, scaled to unit length. Words outside the vocabulary,
such as Thai or Cyrillic ones, are summed from rows for their character n-grams. Rows and weights are integers and every
sum is exact, so the vector of a text does not depend on the batch or the thread.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mnemic.embedders.table.description import read_description
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
    """Return one unit vector per text."""
    table = read_table(folder)
    vectors = np.zeros((len(texts), table.rows.shape[1]), np.float32)
    for index, text in enumerate(texts):
        vectors[index] = vector_of(text, table)
    return vectors


def vector_of(text: str, table: Table) -> npt.NDArray[np.float64]:
    """Sum the rows of a text, chunk by chunk, and scale the sum to unit length."""
    total = np.zeros(table.rows.shape[1])
    chunk: list[int] = []
    for piece in row_indexes(words_of(text), table.pieces):
        chunk.append(piece)
        if len(chunk) == CHUNK:
            total += weighted_sum(chunk, table)
            chunk = []
    if chunk:
        total += weighted_sum(chunk, table)
    length = float(np.sqrt((total * total).sum()))
    return total / length if length else total


def weighted_sum(pieces: list[int], table: Table) -> npt.NDArray[np.float64]:
    """Return the exact weighted sum of the rows of pieces."""
    indexes = np.array(pieces)
    result: npt.NDArray[np.float64] = table.weights[indexes] @ table.rows[indexes].astype(np.float64)
    return result


def row_indexes(words: list[str], vocabulary: WordPiece) -> Iterator[int]:
    """Yield the row of each word piece, or of each n-gram of a word in another script or outside the vocabulary."""
    previous = ""
    for word in words:
        pieces = vocabulary.pieces(word)
        if pieces != (vocabulary.unknown,) and not is_non_latin(word):
            yield from pieces
            previous = ""
            continue
        yield from (len(vocabulary.ids) + zlib.crc32(gram.encode()) % BUCKETS for gram in grams(previous, word))
        previous = word


def is_non_latin(word: str) -> bool:
    """Return whether a word has letters of another script than Latin."""
    return not word.isascii() and any(char > LAST_LATIN and char.isalpha() for char in word)


def grams(previous: str, word: str) -> Iterator[str]:
    """Yield a word, the bigram with the previous word, and the word's character bigrams and trigrams."""
    yield word
    if previous:
        yield f"{previous} {word}"
    marked = f"<{word}>"
    for size in (2, 3):
        yield from (marked[start : start + size] for start in range(len(marked) - size + 1))


@cache
def read_table(folder: Path) -> Table:
    """Read and check the table's files and add the rows for n-grams, once per process."""
    description = read_description(folder)
    vocabulary = checked(folder, "vocabulary.txt").decode().splitlines()
    dimension = int(str(description["dimension"]))
    rows = np.frombuffer(checked(folder, "rows.bin"), np.int8)
    if rows.size != len(vocabulary) * dimension:
        raise DamagedModel("table.json of the embedding table names another dimension; install mnemic again")
    weights = np.frombuffer(checked(folder, "weights.bin"), "<u2")
    gram_weights = np.full(BUCKETS, int(str(description["gram_weight"])))
    return Table(
        name=str(description["name"]),
        rows=np.concatenate([rows.reshape(-1, dimension), gram_rows(dimension)]),
        weights=np.concatenate([weights, gram_weights]).astype(np.float64),
        pieces=WordPiece(vocabulary),
    )


def checked(folder: Path, name: str) -> bytes:
    """Read one file, refusing it if its checksum is wrong."""
    files = read_description(folder)["files"]
    checksum = files.get(name) if isinstance(files, dict) else None
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise DamagedModel(f"{name} of the embedding table cannot be read; install mnemic again") from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise DamagedModel(f"{name} of the embedding table is not the file that was shipped; install mnemic again")
    return content


def gram_rows(dimension: int) -> npt.NDArray[np.int8]:
    """Return one fixed row of random signs per n-gram bucket."""
    bits = hashlib.shake_256(_GRAM_SEED).digest(BUCKETS * dimension // 8)
    signs = np.unpackbits(np.frombuffer(bits, np.uint8)).reshape(BUCKETS, dimension).view(np.int8)
    return signs * np.int8(64) - np.int8(32)
