"""Training of the change networks on pairs of sentences: forward pass, gradients and Adam, in numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemic.upkeep.change_model.network import (
    MARKS,
    SHARED,
    Array,
    Batch,
    Network,
    in_threes,
    nearest,
    similarity,
    softmax,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

WORD, SENTENCE, PAIR = 56, 192, 80
"""The widths of the layers for a word, a sentence and a pair."""

DROPOUT, WORD_DROPOUT, NOISE, DECAY, RATE, BATCH, KINDS_WEIGHT = 0.3, 0.08, 0.035, 0.01, 0.003, 128, 0.3


def trained(
    draw: Callable[[], tuple[Batch, Array, Integers]],
    vectors_of: Callable[[list[str]], Array],
    kinds: int,
    rounds: int,
    count: int,
) -> list[Network]:
    """Return `count` networks, each from its own random start, trained on one sample per round.

    A sample is pairs, whether the newer sentence closes the older one, and the kinds of fact of both, -1 if unknown.
    """
    trainers: list[_Trainer] = []
    for number in range(rounds):
        batch, closes, kinds_of_both = draw()
        vectors = vectors_of(batch.words)
        if not trainers:
            sizes = vectors.shape[1], batch.features.shape[1], kinds
            trainers = [_Trainer(np.random.default_rng(seed), *sizes) for seed in range(count)]
        rate = RATE * (1 - number / rounds) + 1e-5
        losses = [trainer.train(batch, vectors, closes, kinds_of_both, rate) for trainer in trainers]
        print(f"round {number + 1} of {rounds}: loss {np.mean(losses):.3f}", flush=True)
    return [trainer.network for trainer in trainers]


def save(file: Path, embedder_name: str, networks: Sequence[Network]) -> None:
    """Write networks as int8, with a float16 unit per column."""
    arrays: dict[str, NDArray[np.generic]] = {"embedder": np.array(embedder_name)}
    for number, network in enumerate(networks):
        for part, weights in network.items():
            unit = np.maximum(np.abs(weights).max(0), 1e-9) / 127
            arrays[f"{number} {part}"] = np.round(weights / unit).astype(np.int8)
            arrays[f"{number} {part} unit"] = unit.astype(np.float16)
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


class _Trainer:
    """A network and the state of its optimiser."""

    def __init__(self, rng: np.random.Generator, dimension: int, features: int, kinds: int) -> None:
        self.rng = rng
        self.network = _start(rng, dimension, features, kinds)
        self.means, self.squares = (
            {part: np.zeros_like(weights) for part, weights in self.network.items()} for _ in range(2)
        )
        self.steps = 0

    def train(self, batch: Batch, vectors: Array, closes: Array, kinds: Integers, rate: float) -> float:
        """Train on a sample once, and return the mean loss."""
        loss = 0.0
        for rows in np.array_split(self.rng.permutation(len(closes)), len(closes) // BATCH):
            probability, gradients = _gradients(
                self.network, _rows(batch, rows), vectors, closes[rows], kinds[rows], self.rng
            )
            loss -= float(np.log(np.where(closes[rows] > 0.5, probability, 1 - probability) + 1e-7).sum())
            self._step(gradients, rate)
        return loss / len(closes)

    def _step(self, gradients: Network, rate: float) -> None:
        self.steps += 1
        for part, gradient in gradients.items():
            self.means[part] = 0.9 * self.means[part] + 0.1 * gradient
            self.squares[part] = 0.999 * self.squares[part] + 0.001 * gradient**2
            spread = np.sqrt(self.squares[part] / (1 - 0.999**self.steps)) + 1e-7
            move = self.means[part] / (1 - 0.9**self.steps) / spread
            weights = self.network[part]
            self.network[part] = weights - rate * (move + (0 if part.endswith("_0") else DECAY * weights))


def _start(rng: np.random.Generator, dimension: int, features: int, kinds: int) -> Network:
    def normal(rows: int, columns: int) -> Array:
        weights: Array = (rng.normal(0, 1, (rows, columns)) / np.sqrt(rows)).astype(np.float32)
        return weights

    sizes = {
        "words": (dimension, WORD),
        "threes": (3 * (WORD + MARKS + 1), SENTENCE),
        "kinds": (SENTENCE, kinds),
        "both": (3 * SENTENCE + WORD + 6 + features, PAIR),
        "answer": (PAIR, 1),
    }
    network = {part: normal(*size) * (2 if part == "words" else 1) for part, size in sizes.items()}
    return network | {f"{part}_0": np.zeros(size[1], np.float32) for part, size in sizes.items() if part != "words"}


def _rows(batch: Batch, rows: Integers) -> Batch:
    parts = ("older", "newer", "shared", "older_marks", "newer_marks", "features")
    return replace(batch, **{part: getattr(batch, part)[rows] for part in parts})


def _gradients(
    network: Network, batch: Batch, vectors: Array, closes: Array, kinds: Integers, rng: np.random.Generator
) -> tuple[Array, Network]:
    """Return the probabilities and the gradient of each weight, with dropout."""
    count = len(closes)
    used = np.unique(np.concatenate([batch.older, batch.newer, batch.shared], 1))
    lookup = np.zeros(len(vectors), np.int32)
    lookup[used] = np.arange(len(used))
    some = replace(batch, **{side: lookup[getattr(batch, side)] for side in ("older", "newer", "shared")})
    kept = (rng.random((len(used), 1)) > WORD_DROPOUT) * (used[:, None] > 0)
    known = vectors[used] + rng.normal(0, NOISE, (len(used), vectors.shape[1])).astype(np.float32)
    words = (known @ network["words"]) * kept
    sides: list[Any] = []
    nearness = nearest(some, known)
    for at, marks, near in (
        (some.older, some.older_marks, nearness[0]),
        (some.newer, some.newer_marks, nearness[1]),
    ):
        windows = in_threes(words[at], marks, near).reshape(-1, 3 * (WORD + MARKS + 1))
        raised = (windows @ network["threes"] + network["threes_0"]).reshape(count, -1, SENTENCE)
        best = raised.argmax(1)[:, None]
        sentence = np.maximum(np.take_along_axis(raised, best, 1)[:, 0], 0)
        sides.append((at, windows, best, sentence, _mask(rng, sentence.shape)))
    dropped = [side[3] * side[4] for side in sides]
    guesses = [softmax(sentence @ network["kinds"] + network["kinds_0"]) for sentence in dropped]
    features = together(words, some, similarity(some, nearness[0]), sides[0][3], sides[1][3], *guesses)
    mask = _mask(rng, features.shape, DROPOUT * 0.7)
    mask[:, 3 * SENTENCE + WORD :] = 1
    features = features * mask
    pair = features @ network["both"] + network["both_0"]
    pair_mask = _mask(rng, pair.shape) * (pair > 0)
    scores = (pair * pair_mask) @ network["answer"] + network["answer_0"]
    probability: Array = (1 / (1 + np.exp(-np.clip(scores, -30, 30)))).astype(np.float32)

    gradients: Network = {}
    error = ((probability[:, 0] - (closes * 0.98 + 0.01)) / count)[:, None].astype(np.float32)
    gradients["answer"], gradients["answer_0"] = (pair * pair_mask).astype(np.float32).T @ error, error.sum(0)
    back = (error @ network["answer"].T) * pair_mask
    gradients["both"], gradients["both_0"] = features.T @ back, back.sum(0)
    back = (back @ network["both"].T) * mask
    by_newer, by_older, by_both, by_shared, _ = np.split(back, np.cumsum([SENTENCE, SENTENCE, SENTENCE, WORD]), 1)
    sentence_gradients = [by_older + by_both * sides[1][3], by_newer + by_both * sides[0][3]]
    shares = by_shared / np.maximum((some.shared > 0).sum(1, keepdims=True), 1)
    word_gradients = _summed(some.shared, np.repeat(shares, SHARED, 0), len(used))
    for part in ("kinds", "kinds_0", "threes", "threes_0"):
        gradients[part] = np.zeros_like(network[part])
    for side, (at, windows, best, sentence, sentence_mask) in enumerate(sides):
        wrong = guesses[side].copy()
        wrong[np.arange(count), kinds[:, side]] -= 1
        wrong *= (kinds[:, [side]] >= 0) * KINDS_WEIGHT / count
        gradients["kinds"] += dropped[side].T @ wrong
        gradients["kinds_0"] += wrong.sum(0)
        gradient = (sentence_gradients[side] + (wrong @ network["kinds"].T) * sentence_mask) * (sentence > 0)
        spread = np.zeros((count, at.shape[1], SENTENCE), np.float32)
        np.put_along_axis(spread, best, gradient[:, None].astype(np.float32), 1)
        spread = spread.reshape(-1, SENTENCE)
        gradients["threes"] += windows.T @ spread
        gradients["threes_0"] += spread.sum(0)
        by_window = (spread @ network["threes"].T).reshape(count, -1, 3, WORD + MARKS + 1)[..., :WORD]
        summed = np.zeros((count, at.shape[1] + 2, WORD), np.float32)
        for shift in range(3):
            summed[:, shift : shift + at.shape[1]] += by_window[:, :, shift]
        word_gradients += _summed(at, summed[:, 1:-1].reshape(-1, WORD), len(used))
    gradients["words"] = known.T @ (word_gradients * kept)
    return probability[:, 0], gradients


def _summed(indexes: NDArray[Any], gradients: Array, count: int) -> Array:
    """Return the sum of the gradients of each index."""
    sums = np.zeros((count, gradients.shape[1]), np.float32)
    order = indexes.ravel().argsort(kind="stable")
    present, starts = np.unique(indexes.ravel()[order], return_index=True)
    sums[present] = np.add.reduceat(gradients[order], starts, 0)
    return sums


def _mask(rng: np.random.Generator, shape: tuple[int, ...], dropped: float = DROPOUT) -> Array:
    return ((rng.random(shape) > dropped) / (1 - dropped)).astype(np.float32)
