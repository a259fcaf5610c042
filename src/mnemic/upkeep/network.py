"""The networks that read two sentences together: the words of each in threes, and what both have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mnemic.core.vectors import vectors_of
from mnemic.rules.claims.frames import LONGEST, NAME, OWNER, small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Embedder
    from mnemic.upkeep.sense import Pair

FILE = Path(__file__).parent / "data" / "sense.npz"
MARKS = 7
"""What is told of each word besides its meaning: whether it is whom the sentence is about, the speaker, a name, an
amount, a word of both sentences, whether it owns something, and whether its meaning matters."""

SHARED = 4
_ALONE = 1 << 18
"""How many multiplications OpenBLAS does without help from other cores."""

_AMOUNTS = ("number", "clock", "day")

Array = NDArray[np.float32]
Network = dict[str, Array]


@dataclass(frozen=True, slots=True)
class Batch:
    """Hold pairs as numbers; a word is its place in the list of words, of which the first is none."""

    words: list[str]
    older: NDArray[np.int32]
    newer: NDArray[np.int32]
    shared: NDArray[np.int32]
    older_marks: Array
    newer_marks: Array
    facts: Array


def batch_of(pairs: Sequence[Pair]) -> Batch:
    """Return pairs as numbers; of names, amounts and what both sentences share only the marks are kept."""
    places = {"": 0}
    longest = max(len(frame.words) for pair in pairs for frame in (pair.older, pair.newer))
    length = min(longest + 2, LONGEST)  # with a place around which there is no word, however short the others are
    older, newer = (np.zeros((len(pairs), length), np.int32) for _ in range(2))
    older_marks, newer_marks = (np.zeros((len(pairs), length, MARKS), np.float32) for _ in range(2))
    shared = np.zeros((len(pairs), SHARED), np.int32)
    for row, pair in enumerate(pairs):
        both = pair.shared
        for frame, words, marks in ((pair.older, older, older_marks), (pair.newer, newer, newer_marks)):
            told = zip(frame.words[:LONGEST], frame.stems, frame.kinds, strict=False)
            for place, (word, stem, kind) in enumerate(told):
                if pair.owner and pair.owner in (stem, small(word)):
                    marks[row, place, 0] = 1
                    marks[row, place, 5] = word.endswith("'s") or word.lower() in ("my", "our")
                elif kind in (OWNER, NAME):
                    marks[row, place, 1 if kind == OWNER else 2] = 1
                elif kind in _AMOUNTS:
                    marks[row, place, 3] = 1
                elif stem not in both:
                    words[row, place] = places.setdefault(small(word), len(places))
                    marks[row, place, 6] = bool(stem)
                marks[row, place, 4] = stem in both
        for place, stem in enumerate(sorted(both - pair.older.people)[:SHARED]):
            shared[row, place] = places.setdefault(stem, len(places))
    facts = np.array([pair.facts() for pair in pairs], np.float32)
    return Batch(list(places), older, newer, shared, older_marks, newer_marks, facts)


def chances(embedder: Embedder, pairs: Sequence[Pair]) -> list[float]:
    """Return for each pair what the networks think on average."""
    hashed: Any = embedder
    batch = batch_of(pairs)
    meanings = np.stack([_meaning(hashed, word) for word in batch.words])
    nearness = nearest(batch, meanings)
    told: list[float] = np.mean([read(network, batch, meanings, nearness) for network in _learned()[1]], 0).tolist()
    return told


@lru_cache(maxsize=20_000)
def _meaning(embedder: Embedder, word: str) -> Array:
    found: Array = vectors_of(embedder, [word])[0]
    return found


def read(network: Network, batch: Batch, meanings: Array, nearness: tuple[Array, Array]) -> Array:
    """Return the chance of each pair, as one network sees it."""
    words = product(meanings, network["words"])
    older, newer = (
        np.maximum(product(in_threes(words[places], marks, near), network["threes"]) + network["threes_0"], 0).max(1)
        for places, marks, near in zip(
            (batch.older, batch.newer), (batch.older_marks, batch.newer_marks), nearness, strict=True
        )
    )
    kinds = [softmax(product(felt, network["kinds"]) + network["kinds_0"]) for felt in (older, newer)]
    seen = together(words, batch, alike(batch, nearness[0]), older, newer, *kinds)
    thought = np.maximum(product(seen, network["both"]) + network["both_0"], 0)
    told: Array = 1 / (1 + np.exp(-(thought @ network["answer"] + network["answer_0"])[:, 0]))
    return told


def product(told: Array, weights: Array) -> Array:
    """Multiply matrices a few rows at a time: more wake every core, and programs that do so get in each other's way."""
    rows = max(1, _ALONE // weights.size)
    flat = told.reshape(-1, told.shape[-1])
    parts = [flat[start : start + rows] @ weights for start in range(0, len(flat), rows)]
    return np.concatenate(parts).reshape(*told.shape[:-1], weights.shape[1])


def in_threes(words: Array, marks: Array, near: Array) -> Array:
    """Return every word with its marks and nearness, beside the words before and after it."""
    told = np.pad(np.concatenate([words, marks, near[:, :, None]], 2), ((0, 0), (1, 1), (0, 0)))
    return np.concatenate([told[:, :-2], told[:, 1:-1], told[:, 2:]], 2)


def nearest(batch: Batch, meanings: Array) -> tuple[Array, Array]:
    """Return for each word of the older and of the newer sentence how near the nearest of the other one is to it.

    Words without meaning, or that both sentences share, are near to none.
    """
    older, newer = batch.older_marks[:, :, 6], batch.newer_marks[:, :, 6]
    cosines = product(meanings, meanings.T)[batch.older[:, :, None], batch.newer[:, None]]
    cosines = cosines * older[:, :, None] * newer[:, None]
    return cosines.max(2), cosines.max(1)


def alike(batch: Batch, near: Array) -> Array:
    """Return how near the words of the older sentence are to the newer one: the two nearest, and on average."""
    ordered = np.sort(near, 1)
    count = np.maximum(batch.older_marks[:, :, 6].sum(1), 1)
    return np.stack([ordered[:, -1], ordered[:, -2], near.sum(1) / count], 1)


def together(
    words: Array, batch: Batch, nearness: Array, older: Array, newer: Array, older_kinds: Array, newer_kinds: Array
) -> Array:
    """Return what is known of pairs: both sentences, what they share, how alike they are, and what was counted."""
    count = np.maximum((batch.shared > 0).sum(1, keepdims=True), 1)
    known, others = older_kinds[:, 1:], newer_kinds[:, 1:]
    both = np.sqrt(known * others).sum(1)
    likeness = np.stack([both, np.log(both + 1e-3) / 3, np.minimum(known, others).sum(1)], 1)
    found: Array = np.concatenate(
        [newer, older, older * newer, words[batch.shared].sum(1) / count, likeness, nearness, batch.facts], 1
    )
    return found


def softmax(scores: Array) -> Array:
    """Return scores as chances that add up to one."""
    raised = np.exp(scores - scores.max(1, keepdims=True))
    found: Array = raised / raised.sum(1, keepdims=True)
    return found


def embedder_name() -> str:
    """Return the name of the embedder whose meanings the networks know."""
    return _learned()[0]


def save(name: str, networks: Sequence[Network]) -> None:
    """Write networks as whole numbers of one byte, each column with its own unit."""
    told: dict[str, NDArray[np.generic]] = {"embedder": np.array(name)}
    for place, network in enumerate(networks):
        for part, weights in network.items():
            unit = np.maximum(np.abs(weights).max(0), 1e-9) / 127
            told[f"{place} {part}"] = np.round(weights / unit).astype(np.int8)
            told[f"{place} {part} unit"] = unit.astype(np.float16)
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **told)  # type: ignore[arg-type]


@cache
def _learned() -> tuple[str, list[Network]]:
    """Return the embedder and the networks that `training/changes` has learned."""
    with np.load(FILE) as told:
        networks: dict[str, Network] = {}
        for name in told.files:
            place, _, part = name.partition(" ")
            if part and not part.endswith("unit"):
                weights = told[name].astype(np.float32) * told[f"{name} unit"].astype(np.float32)
                networks.setdefault(place, {})[part] = weights
        return str(told["embedder"]), list(networks.values())
