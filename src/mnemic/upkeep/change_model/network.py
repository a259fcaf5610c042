"""The networks: each reads both sentences three words at a time, and what the sentences have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mnemic.core.vectors import vectors_of
from mnemic.rules.claims.frames import LONGEST, NAME, OWNER, bare_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Embedder
    from mnemic.upkeep.change_model.pair import SentencePair

FILE = Path(__file__).parents[1] / "data" / "change_model.npz"
MARKS = 7
"""The flags of each word besides its vector: owner of the sentence, speaker, name, amount, in both sentences,
possessive, and whether its vector counts."""

SHARED = 4
"""How many shared words the networks read."""

_SINGLE_CORE = 1 << 18
"""How many multiplications OpenBLAS does without other cores."""

_AMOUNTS = ("number", "clock", "day")

Array = NDArray[np.float32]
Network = dict[str, Array]


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentence pairs as numbers; a word is its index in the list of words, and index 0 is no word."""

    words: list[str]
    older: NDArray[np.int32]
    newer: NDArray[np.int32]
    shared: NDArray[np.int32]
    older_marks: Array
    newer_marks: Array
    features: Array


def batch_of(pairs: Sequence[SentencePair]) -> Batch:
    """Return pairs as numbers; names, amounts and shared words keep only their marks."""
    vocabulary = {"": 0}
    longest = max(len(frame.words) for pair in pairs for frame in (pair.older, pair.newer))
    length = min(longest + 2, LONGEST)  # leaves an index with no word around it, however short the sentences are
    older, newer = (np.zeros((len(pairs), length), np.int32) for _ in range(2))
    older_marks, newer_marks = (np.zeros((len(pairs), length, MARKS), np.float32) for _ in range(2))
    shared = np.zeros((len(pairs), SHARED), np.int32)
    for row, pair in enumerate(pairs):
        in_both = pair.shared
        for frame, words, marks in ((pair.older, older, older_marks), (pair.newer, newer, newer_marks)):
            tokens = zip(frame.words[:LONGEST], frame.stems, frame.kinds, strict=False)
            for index, (word, stem, kind) in enumerate(tokens):
                if pair.owner and pair.owner in (stem, bare_word(word)):
                    marks[row, index, 0] = 1
                    marks[row, index, 5] = word.endswith("'s") or word.lower() in ("my", "our")
                elif kind in (OWNER, NAME):
                    marks[row, index, 1 if kind == OWNER else 2] = 1
                elif kind in _AMOUNTS:
                    marks[row, index, 3] = 1
                elif stem not in in_both:
                    words[row, index] = vocabulary.setdefault(bare_word(word), len(vocabulary))
                    marks[row, index, 6] = bool(stem)
                marks[row, index, 4] = stem in in_both
        for index, stem in enumerate(sorted(in_both - pair.older.people)[:SHARED]):
            shared[row, index] = vocabulary.setdefault(stem, len(vocabulary))
    features = np.array([pair.features() for pair in pairs], np.float32)
    return Batch(list(vocabulary), older, newer, shared, older_marks, newer_marks, features)


def probabilities(embedder: Embedder, pairs: Sequence[SentencePair]) -> list[float]:
    """Return the mean probability of the networks for each pair."""
    hashable: Any = embedder
    batch = batch_of(pairs)
    vectors = np.stack([_vector(hashable, word) for word in batch.words])
    nearness = nearest(batch, vectors)
    means: list[float] = np.mean([run(network, batch, vectors, nearness) for network in _load()[1]], 0).tolist()
    return means


@lru_cache(maxsize=20_000)
def _vector(embedder: Embedder, word: str) -> Array:
    vector: Array = vectors_of(embedder, [word])[0]
    return vector


def run(network: Network, batch: Batch, vectors: Array, nearness: tuple[Array, Array]) -> Array:
    """Return one network's probability for each pair."""
    words = product(vectors, network["words"])
    older, newer = (
        np.maximum(product(in_threes(words[indexes], marks, near), network["threes"]) + network["threes_0"], 0).max(1)
        for indexes, marks, near in zip(
            (batch.older, batch.newer), (batch.older_marks, batch.newer_marks), nearness, strict=True
        )
    )
    kinds = [softmax(product(sentence, network["kinds"]) + network["kinds_0"]) for sentence in (older, newer)]
    joined = together(words, batch, similarity(batch, nearness[0]), older, newer, *kinds)
    hidden = np.maximum(product(joined, network["both"]) + network["both_0"], 0)
    output: Array = 1 / (1 + np.exp(-(hidden @ network["answer"] + network["answer_0"])[:, 0]))
    return output


def product(matrix: Array, weights: Array) -> Array:
    """Multiply matrices a few rows at a time, so that OpenBLAS stays on one core.

    Several programs that wake all cores at once slow one another down.
    """
    rows = max(1, _SINGLE_CORE // weights.size)
    flat = matrix.reshape(-1, matrix.shape[-1])
    parts = [flat[start : start + rows] @ weights for start in range(0, len(flat), rows)]
    return np.concatenate(parts).reshape(*matrix.shape[:-1], weights.shape[1])


def in_threes(words: Array, marks: Array, near: Array) -> Array:
    """Return every word with its marks and nearness, beside the words before and after it."""
    padded = np.pad(np.concatenate([words, marks, near[:, :, None]], 2), ((0, 0), (1, 1), (0, 0)))
    return np.concatenate([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]], 2)


def nearest(batch: Batch, vectors: Array) -> tuple[Array, Array]:
    """Return for each word of the older and the newer sentence its highest cosine with a word of the other one.

    It is 0 for words whose vector does not count and for words that both sentences share.
    """
    older, newer = batch.older_marks[:, :, 6], batch.newer_marks[:, :, 6]
    cosines = product(vectors, vectors.T)[batch.older[:, :, None], batch.newer[:, None]]
    cosines = cosines * older[:, :, None] * newer[:, None]
    return cosines.max(2), cosines.max(1)


def similarity(batch: Batch, near: Array) -> Array:
    """Return how near the older sentence's words are to the newer sentence: the two nearest, and the mean."""
    ordered = np.sort(near, 1)
    count = np.maximum(batch.older_marks[:, :, 6].sum(1), 1)
    return np.stack([ordered[:, -1], ordered[:, -2], near.sum(1) / count], 1)


def together(
    words: Array, batch: Batch, nearness: Array, older: Array, newer: Array, older_kinds: Array, newer_kinds: Array
) -> Array:
    """Return the input of the last layers: both sentences, shared words, similarity, and the counted features."""
    count = np.maximum((batch.shared > 0).sum(1, keepdims=True), 1)
    known, others = older_kinds[:, 1:], newer_kinds[:, 1:]
    both = np.sqrt(known * others).sum(1)
    same_kind = np.stack([both, np.log(both + 1e-3) / 3, np.minimum(known, others).sum(1)], 1)
    joined: Array = np.concatenate(
        [newer, older, older * newer, words[batch.shared].sum(1) / count, same_kind, nearness, batch.features], 1
    )
    return joined


def softmax(scores: Array) -> Array:
    """Return scores as probabilities that add up to one."""
    raised = np.exp(scores - scores.max(1, keepdims=True))
    shares: Array = raised / raised.sum(1, keepdims=True)
    return shares


def embedder_name() -> str:
    """Return the name of the embedder that the networks were trained with."""
    return _load()[0]


@cache
def _load() -> tuple[str, list[Network]]:
    """Return the embedder's name and the networks that `training/changes` made."""
    with np.load(FILE) as stored:
        networks: dict[str, Network] = {}
        for name in stored.files:
            number, _, part = name.partition(" ")
            if part and not part.endswith("unit"):
                weights = stored[name].astype(np.float32) * stored[f"{name} unit"].astype(np.float32)
                networks.setdefault(number, {})[part] = weights
        return str(stored["embedder"]), list(networks.values())
