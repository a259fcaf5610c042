"""Sense: whether a sentence says that something holds, changed, ended or only happened, told by the bundled table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.meaning import vectors_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from recollect.ports import Embedder

FILE = Path(__file__).parent / "data" / "sense.json"
SIGNS = (
    ("not", "no", "never", "without", "hardly", "nothing"),
    ("longer", "anymore", "more"),
    ("now", "nowadays", "days", "recently", "finally", "since"),
    ("new", "another"),
    ("instead", "rather", "after"),
    ("used",),
    ("from",),
    ("for",),
    ("to",),
    ("off", "out", "away", "up", "back", "down"),
    ("has", "have", "been"),
    ("is", "am", "are"),
    ("was", "were", "got", "had"),
    ("and",),
)
"""Small words that say more about change than their meaning does, each kind a number of its own."""

_WEIGHT = 0.25


@dataclass(frozen=True, slots=True)
class Sense:
    """Hold how likely a sentence plays each role, and speaks of each kind of fact."""

    roles: Mapping[str, float]
    kinds: Mapping[str, float]


def features(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    """Return what the sense of masked sentences is read from: their meaning, the small words, and a constant."""
    import numpy as np

    signs = [[_WEIGHT * (not set(kind).isdisjoint(text.split())) for kind in SIGNS] + [1.0] for text in texts]
    return np.hstack([vectors_of(embedder, texts), np.array(signs, np.float32)])


def sense(embedder: Embedder, masked: str) -> Sense | None:
    """Return the sense of a sentence without its people and values; None with an embedder it was not learned from."""
    hashed: Any = embedder
    return _sense(hashed, masked) if embedder.name == _learned()["embedder"] else None


@lru_cache(maxsize=5_000)
def _sense(embedder: Embedder, masked: str) -> Sense:
    import numpy as np

    learned = _learned()
    felt = np.maximum(features(embedder, [masked])[0] @ learned["hidden"], 0)
    told = []
    for part in ("roles", "kinds"):
        scores = felt @ learned[part]["weights"]
        chances = np.exp(scores - scores.max())
        told.append(dict(zip(learned[part]["names"], (chances / chances.sum()).tolist(), strict=True)))
    return Sense(*told)


@cache
def _learned() -> dict[str, Any]:
    """Return what `tools/changes` has learned: a hidden layer, and what is read from it."""
    import numpy as np

    learned: dict[str, Any] = json.loads(FILE.read_bytes())
    learned["hidden"] = np.array(learned["hidden"], np.float32)
    for part in ("roles", "kinds"):
        learned[part]["weights"] = np.array(learned[part]["weights"], np.float32)
    return learned
