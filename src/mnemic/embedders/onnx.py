"""A transformer as the embedder: slower than the table, and closer to the meaning."""

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
    """Embed texts by a fetched model: the mean of its token vectors, without a prefix.

    A text that is longer than the model can read is embedded in windows of 510 tokens, and every token of every window
    counts alike: nothing is cut off. A text without a single token, such as blanks, gets a row of zeros.
    """

    dimension = 384

    def __init__(self, models: Path, model: str = "bge-small", *, threads: int | None = None) -> None:
        """Load a model from the folder that keeps them; embed with as many threads as there are processors."""
        pinned = catalogue.find(model, kind="embedder")
        self.name = f"onnx:{model}:{pinned.files[0].sha256[:8]}"
        self._encoder = Encoder(pinned, models, threads=threads)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for place, row in enumerate(self._encoder.each(self._row, texts)):
            rows[place] = row
        return rows

    def _row(self, text: str) -> Vectors:
        total = np.zeros(self.dimension, np.float32)
        for window in windows(self._encoder.tokens(text), _WINDOW):
            total += self._encoder.run(window).sum(axis=0)
        return total / (np.linalg.norm(total) or 1)
