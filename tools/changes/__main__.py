"""Learn the sense of sentences from wordings: ``python -m tools.changes``."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
HIDDEN, ROUNDS, NOISE, DROPPED, DECAY, PACE = 64, 40, 0.03, 0.3, 0.02, 0.003
CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")

Array = NDArray[np.float64]


def main() -> None:
    """Learn, say how well the wordings that were left out are told, and write."""
    told = [*_listed(Path(__file__).with_name("wordings.txt"))]
    told += _of_kinds([*updating.KINDS, *updating_more.MORE_KINDS, *updating_varied.BUILD_KINDS])
    told += _follow_ups(0)
    left_out = [*_of_kinds(updating_varied.TEST_KINDS), *_follow_ups(1)]
    embedder = TableEmbedder()
    texts, *labels = zip(*_masked(told), strict=True)
    names = [sorted(set(part)) for part in labels]
    wanted = [
        np.eye(len(known))[[known.index(label) for label in part]] for known, part in zip(names, labels, strict=True)
    ]
    hidden, heads = _fitted(features(embedder, list(texts)).astype(np.float64), wanted)
    tests, *test_labels = zip(*_masked(left_out), strict=True)
    felt = np.maximum(features(embedder, list(tests)) @ hidden, 0)
    learned: dict[str, object] = {"embedder": embedder.name, "hidden": _written(hidden)}
    for part, known, head, right in zip(("roles", "kinds"), names, heads, test_labels, strict=True):
        guessed = [known[place] for place in (felt @ head).argmax(1)]
        print(f"{part}: {np.mean([one == other for one, other in zip(guessed, right, strict=True)]):.3f} right")
        learned[part] = {"names": known, "weights": _written(head)}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(learned, separators=(",", ":")) + "\n")


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
        for number in range(SAMPLES * (3 if CHOICE.search(text) else 1)):
            who = "I" if number == 0 else rng.choice(updating.PEOPLE)
            a, b = rng.sample([value for value in VALUES[kind] if value != who], 2)
            chosen = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)
            said = updating._said(chosen, {"who": who, "a": a, "b": b})
            topics = frozenset(content_of(f"{a} {b}".split())) if number % 2 else frozenset(content_of(a.split()))
            found += [(frame.without(topics), role, kind) for frame in frames(said)[:1]]
    return found


def _fitted(rows: Array, wanted: list[Array]) -> tuple[Array, list[Array]]:
    """Return the weights of one hidden layer, and of the heads that read from it: trained with noise, by Adam."""
    rng = np.random.default_rng(0)
    sizes = [part.shape[1] for part in wanted]
    weights = [
        rng.normal(0, 2 / np.sqrt(rows.shape[1]), (rows.shape[1], HIDDEN)),
        *(rng.normal(0, 1 / np.sqrt(HIDDEN), (HIDDEN, size)) for size in sizes),
    ]
    means, squares = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    step = 0
    for _ in range(ROUNDS):
        for batch in np.array_split(rng.permutation(len(rows)), len(rows) // 128):
            given = rows[batch] + rng.normal(0, NOISE, (len(batch), rows.shape[1]))
            raw = given @ weights[0]
            mask = (rng.random(raw.shape) > DROPPED) / (1 - DROPPED)
            felt = np.maximum(raw, 0) * mask
            slopes = []
            back = np.zeros_like(felt)
            for head, part, matters in zip(weights[1:], wanted, (2, 1), strict=True):
                error = matters * (_chances(felt @ head) - part[batch]) / len(batch)
                slopes.append(felt.T @ error)
                back += error @ head.T
            slopes.insert(0, given.T @ (back * mask * (raw > 0)))
            step += 1
            for place, slope in enumerate(slopes):
                means[place] = 0.9 * means[place] + 0.1 * slope
                squares[place] = 0.999 * squares[place] + 0.001 * slope**2
                move = means[place] / (1 - 0.9**step) / (np.sqrt(squares[place] / (1 - 0.999**step)) + 1e-8)
                weights[place] = weights[place] - PACE * (move + DECAY * weights[place])
    return weights[0], weights[1:]


def _chances(scores: Array) -> Array:
    raised = np.exp(scores - scores.max(1, keepdims=True))
    found: Array = raised / raised.sum(1, keepdims=True)
    return found


def _written(weights: Array) -> list[list[float]]:
    return [[round(float(weight), 2) for weight in row] for row in weights]


if __name__ == "__main__":
    main()
