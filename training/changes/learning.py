"""Learn the weights of a network from pairs: forward, backward and Adam, in numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemic.upkeep.change_model.network import (
    FILE,
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

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

WORD, THREES, THOUGHT = 56, 192, 80
"""How many numbers a word, a sentence, and a pair are read as."""

DROPPED, WORDS_DROPPED, NOISE, DECAY, PACE, SIZE, KINDS_MATTER = 0.3, 0.08, 0.035, 0.01, 0.003, 128, 0.3


def learned(
    sampled: Callable[[], tuple[Batch, Array, Integers]],
    meanings_of: Callable[[list[str]], Array],
    kinds: int,
    rounds: int,
    count: int,
) -> list[Network]:
    """Return networks that were trained on as many samples as there are rounds, each beginning elsewhere.

    A sample holds pairs, whether the newer sentence closes the older one, and of which of the kinds of fact both are,
    -1 where that is not known.
    """
    learners: list[_Learner] = []
    for done in range(rounds):
        batch, closes, kinds_of_both = sampled()
        meanings = meanings_of(batch.words)
        if not learners:
            sizes = meanings.shape[1], batch.features.shape[1], kinds
            learners = [_Learner(np.random.default_rng(seed), *sizes) for seed in range(count)]
        pace = PACE * (1 - done / rounds) + 1e-5
        losses = [learner.learn(batch, meanings, closes, kinds_of_both, pace) for learner in learners]
        print(f"round {done + 1} of {rounds}: loss {np.mean(losses):.3f}", flush=True)
    return [learner.network for learner in learners]


def save(embedder_name: str, networks: Sequence[Network]) -> None:
    """Write networks as whole numbers of one byte, each column with its own unit."""
    arrays: dict[str, NDArray[np.generic]] = {"embedder": np.array(embedder_name)}
    for number, network in enumerate(networks):
        for part, weights in network.items():
            unit = np.maximum(np.abs(weights).max(0), 1e-9) / 127
            arrays[f"{number} {part}"] = np.round(weights / unit).astype(np.int8)
            arrays[f"{number} {part} unit"] = unit.astype(np.float16)
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **arrays)  # type: ignore[arg-type]


class _Learner:
    """Hold a network and how its weights moved."""

    def __init__(self, rng: np.random.Generator, dimension: int, facts: int, kinds: int) -> None:
        self.rng = rng
        self.network = _start(rng, dimension, facts, kinds)
        self.means, self.squares = (
            {part: np.zeros_like(weights) for part, weights in self.network.items()} for _ in range(2)
        )
        self.steps = 0

    def learn(self, batch: Batch, meanings: Array, closes: Array, kinds: Integers, pace: float) -> float:
        """Learn from a sample once, and return how wrong the network was."""
        loss = 0.0
        for rows in np.array_split(self.rng.permutation(len(closes)), len(closes) // SIZE):
            chance, slopes = _slopes(self.network, _rows(batch, rows), meanings, closes[rows], kinds[rows], self.rng)
            loss -= float(np.log(np.where(closes[rows] > 0.5, chance, 1 - chance) + 1e-7).sum())
            self._move(slopes, pace)
        return loss / len(closes)

    def _move(self, slopes: Network, pace: float) -> None:
        self.steps += 1
        for part, slope in slopes.items():
            self.means[part] = 0.9 * self.means[part] + 0.1 * slope
            self.squares[part] = 0.999 * self.squares[part] + 0.001 * slope**2
            spread = np.sqrt(self.squares[part] / (1 - 0.999**self.steps)) + 1e-7
            move = self.means[part] / (1 - 0.9**self.steps) / spread
            weights = self.network[part]
            self.network[part] = weights - pace * (move + (0 if part.endswith("_0") else DECAY * weights))


def _start(rng: np.random.Generator, dimension: int, facts: int, kinds: int) -> Network:
    def drawn(rows: int, columns: int) -> Array:
        weights: Array = (rng.normal(0, 1, (rows, columns)) / np.sqrt(rows)).astype(np.float32)
        return weights

    sizes = {
        "words": (dimension, WORD),
        "threes": (3 * (WORD + MARKS + 1), THREES),
        "kinds": (THREES, kinds),
        "both": (3 * THREES + WORD + 6 + facts, THOUGHT),
        "answer": (THOUGHT, 1),
    }
    network = {part: drawn(*size) * (2 if part == "words" else 1) for part, size in sizes.items()}
    return network | {f"{part}_0": np.zeros(size[1], np.float32) for part, size in sizes.items() if part != "words"}


def _rows(batch: Batch, rows: Integers) -> Batch:
    parts = ("older", "newer", "shared", "older_marks", "newer_marks", "features")
    return replace(batch, **{part: getattr(batch, part)[rows] for part in parts})


def _slopes(
    network: Network, batch: Batch, meanings: Array, closes: Array, kinds: Integers, rng: np.random.Generator
) -> tuple[Array, Network]:
    """Return what the network thinks, and how each weight should move; parts of it are left out by chance."""
    count = len(closes)
    used = np.unique(np.concatenate([batch.older, batch.newer, batch.shared], 1))
    lookup = np.zeros(len(meanings), np.int32)
    lookup[used] = np.arange(len(used))
    some = replace(batch, **{side: lookup[getattr(batch, side)] for side in ("older", "newer", "shared")})
    kept = (rng.random((len(used), 1)) > WORDS_DROPPED) * (used[:, None] > 0)
    known = meanings[used] + rng.normal(0, NOISE, (len(used), meanings.shape[1])).astype(np.float32)
    words = (known @ network["words"]) * kept
    sides: list[Any] = []
    nearness = nearest(some, known)
    for at, marks, near in (
        (some.older, some.older_marks, nearness[0]),
        (some.newer, some.newer_marks, nearness[1]),
    ):
        told = in_threes(words[at], marks, near).reshape(-1, 3 * (WORD + MARKS + 1))
        raised = (told @ network["threes"] + network["threes_0"]).reshape(count, -1, THREES)
        best = raised.argmax(1)[:, None]
        felt = np.maximum(np.take_along_axis(raised, best, 1)[:, 0], 0)
        sides.append((at, told, best, felt, _mask(rng, felt.shape)))
    felts = [side[3] * side[4] for side in sides]
    guesses = [softmax(felt @ network["kinds"] + network["kinds_0"]) for felt in felts]
    seen = together(words, some, similarity(some, nearness[0]), sides[0][3], sides[1][3], *guesses)
    mask = _mask(rng, seen.shape, DROPPED * 0.7)
    mask[:, 3 * THREES + WORD :] = 1
    seen = seen * mask
    thought = seen @ network["both"] + network["both_0"]
    thought_mask = _mask(rng, thought.shape) * (thought > 0)
    scores = (thought * thought_mask) @ network["answer"] + network["answer_0"]
    chance: Array = (1 / (1 + np.exp(-np.clip(scores, -30, 30)))).astype(np.float32)

    slopes: Network = {}
    error = ((chance[:, 0] - (closes * 0.98 + 0.01)) / count)[:, None].astype(np.float32)
    slopes["answer"], slopes["answer_0"] = (thought * thought_mask).astype(np.float32).T @ error, error.sum(0)
    back = (error @ network["answer"].T) * thought_mask
    slopes["both"], slopes["both_0"] = seen.T @ back, back.sum(0)
    back = (back @ network["both"].T) * mask
    by_newer, by_older, by_both, by_shared, _ = np.split(back, np.cumsum([THREES, THREES, THREES, WORD]), 1)
    felt_slopes = [by_older + by_both * sides[1][3], by_newer + by_both * sides[0][3]]
    shares = by_shared / np.maximum((some.shared > 0).sum(1, keepdims=True), 1)
    word_slopes = _summed(some.shared, np.repeat(shares, SHARED, 0), len(used))
    for part in ("kinds", "kinds_0", "threes", "threes_0"):
        slopes[part] = np.zeros_like(network[part])
    for side, (at, told, best, felt, felt_mask) in enumerate(sides):
        wrong = guesses[side].copy()
        wrong[np.arange(count), kinds[:, side]] -= 1
        wrong *= (kinds[:, [side]] >= 0) * KINDS_MATTER / count
        slopes["kinds"] += felts[side].T @ wrong
        slopes["kinds_0"] += wrong.sum(0)
        slope = (felt_slopes[side] + (wrong @ network["kinds"].T) * felt_mask) * (felt > 0)
        spread = np.zeros((count, at.shape[1], THREES), np.float32)
        np.put_along_axis(spread, best, slope[:, None].astype(np.float32), 1)
        spread = spread.reshape(-1, THREES)
        slopes["threes"] += told.T @ spread
        slopes["threes_0"] += spread.sum(0)
        given = (spread @ network["threes"].T).reshape(count, -1, 3, WORD + MARKS + 1)[..., :WORD]
        summed = np.zeros((count, at.shape[1] + 2, WORD), np.float32)
        for shift in range(3):
            summed[:, shift : shift + at.shape[1]] += given[:, :, shift]
        word_slopes += _summed(at, summed[:, 1:-1].reshape(-1, WORD), len(used))
    slopes["words"] = known.T @ (word_slopes * kept)
    return chance[:, 0], slopes


def _summed(places: NDArray[Any], slopes: Array, count: int) -> Array:
    """Return the sum of the slopes of each place."""
    found = np.zeros((count, slopes.shape[1]), np.float32)
    order = places.ravel().argsort(kind="stable")
    present, starts = np.unique(places.ravel()[order], return_index=True)
    found[present] = np.add.reduceat(slopes[order], starts, 0)
    return found


def _mask(rng: np.random.Generator, shape: tuple[int, ...], dropped: float = DROPPED) -> Array:
    return ((rng.random(shape) > dropped) / (1 - dropped)).astype(np.float32)
