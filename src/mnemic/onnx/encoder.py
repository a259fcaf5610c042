"""Encoder: a BERT-like model in an ONNX file, run on the CPU."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mnemic.errors import ModelMissing, with_extra
from mnemic.onnx import fetch
from mnemic.onnx.wordpiece import WordPiece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import onnxruntime

    from mnemic.onnx.catalogue import Model

T = TypeVar("T")
R = TypeVar("R")

LENGTH = 512
"""The maximum number of tokens in one input, markers included."""

_POOL_BATCH = 1000


class Encoder:
    """A model that reads one text at a time, by default in one thread per processor.

    There are no batches: activations are quantised by the largest value in the batch, so a vector would depend on the
    batch (cosine 0.995), and a batch saves only 10 % of the time.
    """

    def __init__(self, model: Model, folder: Path, *, threads: int | None = None) -> None:
        """Load a model from the folder of models."""
        files = fetch.read(model, folder)
        self._session = _session(files["model.onnx"])
        self._words = WordPiece(files["vocab.txt"].decode().splitlines())
        self._start, self._end = self._words.ids["[CLS]"], self._words.ids["[SEP]"]
        self._threads = threads or os.cpu_count() or 1

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        return self._words.encode(text)

    def run(self, *segments: Sequence[int]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the model's output for one or two segments of tokens."""
        tokens, types = [self._start], [0]
        for type_, segment in enumerate(segments):
            tokens += [*segment, self._end]
            types += [type_] * (len(segment) + 1)
        inputs = {"input_ids": tokens, "attention_mask": [1] * len(tokens), "token_type_ids": types}
        [output] = self._session.run(None, {name: np.array([row], np.int64) for name, row in inputs.items()})
        return np.asarray(output[0], np.float32)

    def each(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Apply a function to each item in parallel; yield the results in order."""
        if len(items) < 2:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(items), _POOL_BATCH):
                yield from pool.map(work, items[start : start + _POOL_BATCH])


def windows(tokens: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield consecutive windows of tokens."""
    for start in range(0, len(tokens), size):
        yield tokens[start : start + size]


def _session(model: bytes) -> onnxruntime.InferenceSession:
    try:
        import onnxruntime
    except ImportError:
        raise ModelMissing(f"onnxruntime is not installed; {with_extra('onnx')}") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
