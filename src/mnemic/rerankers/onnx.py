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
    """Score texts by a fetched model, from 0 to 1.

    A text that is longer than the model can read is scored in windows, and the best window counts. A query is read up
    to its first 128 tokens. A text, or a query, without a single token scores 0.
    """

    def __init__(self, models: Path, model: str = "ms-marco-minilm", *, threads: int | None = None) -> None:
        """Load a model from the folder that keeps them; score with as many threads as there are processors."""
        pinned = catalogue.find(model, kind="reranker")
        self.name = f"onnx:{model}:{pinned.files[0].sha256[:8]}"
        self._encoder = Encoder(pinned, models, threads=threads)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the query."""
        asked = self._encoder.tokens(query)[:_LONGEST_QUERY]
        return list(self._encoder.each(partial(self._score, asked), texts)) if asked else [0.0] * len(texts)

    def _score(self, asked: Sequence[int], text: str) -> float:
        room = LENGTH - _MARKERS - len(asked)
        parts = windows(self._encoder.tokens(text), room)
        return max((_sigmoid(float(self._encoder.run(asked, part)[0])) for part in parts), default=0.0)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
