"""Reindex a mind slowly, so that it can be killed on the way: reindexer.py FOLDER."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.core.reindex import fill
from mnemic.embedders.table import TableEmbedder
from mnemic.model.embedding import EmbeddingModel
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Slow(TableEmbedder):
    """Embed like the bundled table, under another name and in no hurry."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "slow"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(0.4)
        return super().embed(texts)


def reindex(folder: Path) -> int:
    """Give every memory a vector of the slow embedder."""
    embedder = Slow()
    store = SqliteStore(folder, EmbeddingModel(embedder.name, embedder.dimension))
    try:
        return fill(store, embedder, progress=lambda *_: None)
    finally:
        store.close()


if __name__ == "__main__":
    reindex(Path(sys.argv[1]))
