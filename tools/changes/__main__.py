"""Learn the sense of sentences from wordings: ``python -m tools.changes``."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np

from benchmarks import updating, updating_more, updating_varied
from recollect.embedders.table import TableEmbedder
from recollect.rules.frames import frames
from recollect.rules.values import content_of
from recollect.upkeep.sense import FILE, features

VALUES = {
    **{kind.name: kind.values for kind in updating_varied.BUILD_KINDS},
    **{kind.name: kind.values for kind in updating.KINDS},
    "none": [*updating.THINGS, *updating.PLACES, *updating.FOODS, *updating.SPORTS],
}
ENDING = ("taste", "possession", "habit", "plan", "pet", "language", "health", "diet", "project")
SAMPLES = 4
SOFT = 0.02
STEPS = 600


def main() -> None:
    """Learn, say how well the wordings that were left out are told, and write."""
    parser = argparse.ArgumentParser(prog="python -m tools.changes", description=__doc__)
    parser.add_argument("--all", action="store_true", help="learn from the wordings kept for testing too")
    given = parser.parse_args()
    told = [*_listed(Path(__file__).with_name("wordings.txt"))]
    told += _of_kinds([*updating.KINDS, *updating_more.MORE_KINDS, *updating_varied.BUILD_KINDS])
    told += _follow_ups(0)
    left_out = [*_of_kinds(updating_varied.TEST_KINDS), *_follow_ups(1)]
    if given.all:
        told += left_out
    embedder = TableEmbedder()
    texts, roles, kinds = zip(*_masked(told), strict=True)
    rows = features(embedder, list(texts))
    tests, test_roles, test_kinds = zip(*_masked(left_out), strict=True)
    test_rows = features(embedder, list(tests))
    learned: dict[str, object] = {"embedder": embedder.name}
    for part, labels, test_labels in (("roles", roles, test_roles), ("kinds", kinds, test_kinds)):
        names = sorted(set(labels))
        weights = _fitted(rows, np.array([names.index(label) for label in labels]), len(names))
        guessed = (test_rows @ weights).argmax(1)
        right = [names[guess] == label for guess, label in zip(guessed, test_labels, strict=True)]
        print(f"{part}: {np.mean(right):.3f} of {len(right)} right")
        if part == "roles":
            for name in names:
                mine = [names[guess] for guess, label in zip(guessed, test_labels, strict=True) if label == name]
                print("  ", name, {other: mine.count(other) for other in names})
        learned[part] = {"names": names, "weights": [[round(float(w), 3) for w in row] for row in weights]}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(learned) + "\n")


def _listed(file: Path) -> list[tuple[str, str, str]]:
    found, kind, role = [], "", ""
    for line in file.read_text().splitlines():
        if line.startswith("["):
            kind, role = line.strip("[]").split()
        elif line and not line.startswith("#"):
            found.append((kind, role, line))
    return found


def _of_kinds(kinds: list[updating.Kind] | tuple[updating.Kind, ...]) -> list[tuple[str, str, str]]:
    found = []
    for kind in kinds:
        found += [(kind.name, "hold", text) for text in kind.first]
        found += [(kind.name, "end" if kind.name in ENDING else "change", text) for text in kind.then]
    return found


def _follow_ups(half: int) -> list[tuple[str, str, str]]:
    return [("none", "other", text) for texts in updating_varied.FOLLOW_UPS.values() for text in texts[half::2]]


def _masked(told: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    rng = random.Random(5)
    found = []
    for kind, role, text in told:
        for number in range(SAMPLES):
            who = "I" if number == 0 else rng.choice(updating.PEOPLE)
            a, b = rng.sample([value for value in VALUES[kind] if value != who], 2)
            said = updating._said(text, {"who": who, "a": a, "b": b})
            topics = frozenset(content_of(f"{a} {b}".split())) if number % 2 else frozenset(content_of(a.split()))
            found += [(frame.without(topics), role, kind) for frame in frames(said)[:1]]
    return found


def _fitted(rows: np.ndarray, labels: np.ndarray, count: int) -> np.ndarray:
    wanted = np.eye(count)[labels]
    weights = np.zeros((rows.shape[1], count))
    speed = np.zeros_like(weights)
    penalty = np.full((rows.shape[1], 1), SOFT)
    penalty[-1] = 0
    for step in range(STEPS):
        scores = rows @ weights
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        slope = rows.T @ (chances - wanted) / len(rows) + penalty * weights / 100
        speed = 0.9 * speed - (4.0 if step < STEPS // 2 else 1.0) * slope
        weights = weights + speed
    return weights


if __name__ == "__main__":
    main()
