"""A cross-encoder as the reranker: it reads the query and a text together."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from mnemic.onnx import catalogue
from mnemic.onnx.encoder import LENGTH, Encoder, windows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MARKERS = 3
_LONGEST_QUERY = 128


class OnnxReranker:
    """A reranker that scores texts from 0 to 1 with a fetched model.

    A text that is longer than the model can read is scored in windows, and the best window counts. A query is read up
    to its first 128 tokens. A text, or a query, without a single token scores 0.
    """

    def __init__(self, models: Path, model: str = "ms-marco-minilm", *, threads: int | None = None) -> None:
        """Load a model from the folder of models; by default, one thread runs per processor."""
        pinned = catalogue.find(model, kind="reranker")
        self.name = f"onnx:{model}:{pinned.files[0].sha256[:8]}"
        self._encoder = Encoder(pinned, models, threads=threads)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the query."""
        tokens = self._encoder.tokens(query)[:_LONGEST_QUERY]
        return list(self._encoder.each(partial(self._score, tokens), texts)) if tokens else [0.0] * len(texts)

    def _score(self, query: Sequence[int], text: str) -> float:
        room = LENGTH - _MARKERS - len(query)
        parts = windows(self._encoder.tokens(text), room)
        return max((_sigmoid(float(self._encoder.run(query, part)[0])) for part in parts), default=0.0)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
