"""The bundled embedder: a table inside the package, no download, no key, the same vector everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.embedders.table.description import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).parents[1] / "data"


class TableEmbedder:
    """The bundled embedder; only a text without any letter, digit or sign gets a vector of zeros."""

    def __init__(self, folder: Path = DATA) -> None:
        self._folder = folder
        about = described(folder)
        self.name = str(about["name"])
        self.dimension = int(str(about["dimension"]))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length one per text."""
        from mnemic.embedders.table.rows import vectors_of  # loads numpy, which opening a mind does not need

        return vectors_of(texts, self._folder)
