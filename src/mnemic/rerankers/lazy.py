"""A reranker that is loaded when it is first used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mnemic.ports import Reranker


class LazyReranker:
    """A reranker whose model is loaded on first use, because that takes time and memory."""

    def __init__(self, name: str, load: Callable[[], Reranker]) -> None:
        self.name = name
        self._load = load

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the scores of the reranker, loading it first if needed."""
        return self._loaded.score(query, texts)

    @cached_property
    def _loaded(self) -> Reranker:
        return self._load()
