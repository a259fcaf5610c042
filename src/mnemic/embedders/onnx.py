"""The ONNX embedder: a transformer model, slower and more accurate than the bundled table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mnemic.onnx import catalogue
from mnemic.onnx.encoder import LENGTH, Encoder, windows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Vectors = np.ndarray[Any, np.dtype[np.float32]]

_WINDOW = LENGTH - 2


class OnnxEmbedder:
    """An embedder that averages the token vectors of a fetched model, without a prefix.

    A long text is embedded in windows of 510 tokens, in which every token has the same weight; nothing is cut off. A
    text without tokens, such as whitespace, gets a vector of zeros.
    """

    dimension = 384

    def __init__(self, models: Path, model: str = "bge-small", *, threads: int | None = None) -> None:
        """Load a model from the folder of models; the default is one thread per processor."""
        pinned = catalogue.find(model, kind="embedder")
        self.name = f"onnx:{model}:{pinned.files[0].sha256[:8]}"
        self._encoder = Encoder(pinned, models, threads=threads)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for index, row in enumerate(self._encoder.each(self._row, texts)):
            rows[index] = row
        return rows

    def _row(self, text: str) -> Vectors:
        total = np.zeros(self.dimension, np.float32)
        for window in windows(self._encoder.tokens(text), _WINDOW):
            total += self._encoder.run(window).sum(axis=0)
        return total / (np.linalg.norm(total) or 1)
