"""The bundled embedder: a table of token vectors inside the package; no download, no key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.embedders.table.description import read_description

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).parents[1] / "data"


class TableEmbedder:
    """The bundled embedder; only a text without visible characters gets a vector of zeros."""

    def __init__(self, folder: Path = DATA) -> None:
        self._folder = folder
        description = read_description(folder)
        self.name = str(description["name"])
        self.dimension = int(str(description["dimension"]))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text."""
        from mnemic.embedders.table.rows import vectors_of  # loads numpy only when it is needed

        return vectors_of(texts, self._folder)
