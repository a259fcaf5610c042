"""The ONNX reranker: a cross-encoder, which reads the query and a text together."""

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
_MAX_QUERY = 128


class OnnxReranker:
    """A reranker that scores texts from 0 to 1 with a fetched model.

    A long text is scored in windows, and the best window counts. Only the first 128 tokens of a query are read. A text,
    or a query, without tokens scores 0.
    """

    def __init__(self, models: Path, model: str = "ms-marco-minilm", *, threads: int | None = None) -> None:
        """Load a model from the folder of models; the default is one thread per processor."""
        pinned = catalogue.find(model, kind="reranker")
        self.name = f"onnx:{model}:{pinned.files[0].sha256[:8]}"
        self._encoder = Encoder(pinned, models, threads=threads)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the query."""
        tokens = self._encoder.tokens(query)[:_MAX_QUERY]
        return list(self._encoder.each(partial(self._score, tokens), texts)) if tokens else [0.0] * len(texts)

    def _score(self, query: Sequence[int], text: str) -> float:
        size = LENGTH - _MARKERS - len(query)
        parts = windows(self._encoder.tokens(text), size)
        return max((_sigmoid(float(self._encoder.run(query, part)[0])) for part in parts), default=0.0)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
