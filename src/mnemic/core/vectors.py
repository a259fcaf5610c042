"""Vectors from an embedder, checked before they are stored or searched."""

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


_MIN_WORDS = 3


def vectors_of_memories(embedder: Embedder, memories: Sequence[Memory]) -> Vectors:
    """Return the vectors of memories by id; turns of a session are embedded without their speaker."""
    texts = [memory.text if memory.scope.session is None else _without_speaker(memory.text) for memory in memories]
    vectors = vectors_of(embedder, texts)
    return {memory.id: vectors[index] for index, memory in enumerate(memories)}


def _without_speaker(turn: str) -> str:
    """Return a turn without its speaker, unless hardly any words remain: "Lunch: at noon" has no speaker."""
    text = without_speaker(turn)
    return text if len(text.split()) >= _MIN_WORDS else turn


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one vector per text, of the embedder's dimension and with finite numbers only."""
    import numpy as np

    try:
        vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    except ValueError as error:
        raise ModelError(f"the embedder {embedder.name} returned no array of numbers: {error}") from error
    shape = (len(texts), embedder.dimension)
    if texts and vectors.shape != shape:
        raise ModelError(f"the embedder {embedder.name} returned an array of shape {vectors.shape}, not {shape}")
    if not isfinite(np.vdot(vectors, vectors)):
        raise ModelError(f"the embedder {embedder.name} returned numbers that are not finite, or too large")
    return vectors
