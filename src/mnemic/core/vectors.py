"""Vectors from an embedder, checked before anything relies on them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from mnemic.errors import ModelError
from mnemic.rules.language.speech import without_speaker

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder, Vectors


_SAID = 3


def vectors_of_memories(embedder: Embedder, memories: Sequence[Memory]) -> Vectors:
    """Return the vectors of memories by id; of a turn in a session, only what is said counts, not who says it."""
    texts = [memory.text if memory.scope.session is None else _meant(memory.text) for memory in memories]
    vectors = vectors_of(embedder, texts)
    return {memory.id: vectors[place] for place, memory in enumerate(memories)}


def _meant(turn: str) -> str:
    """Return what is said in a turn; with very few words, what stands in front may well be the matter."""
    words = without_speaker(turn)
    return words if len(words.split()) >= _SAID else turn


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one vector per text, as long as the embedder says and made of finite numbers."""
    import numpy as np

    try:
        vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    except ValueError as error:
        raise ModelError(f"the embedder {embedder.name} returned no array of numbers: {error}") from error
    wanted = (len(texts), embedder.dimension)
    if texts and vectors.shape != wanted:
        raise ModelError(f"the embedder {embedder.name} returned an array of {vectors.shape}, not of {wanted}")
    if not isfinite(np.vdot(vectors, vectors)):
        raise ModelError(f"the embedder {embedder.name} returned numbers that are not finite, or far too large")
    return vectors
