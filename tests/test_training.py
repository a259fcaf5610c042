"""The commands that make the shipped data files start and work from a clone, on very little data."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from mnemic.evaluation import locomo
from training import calibration

ROOT = Path(__file__).parents[1]
STATEMENTS = [f"I like the {colour} bicycle that I bought in May" for colour in "red blue green black".split()] + [
    f"I met my {person} at the {place} today"
    for person in "sister uncle teacher neighbour".split()
    for place in "market station library harbour".split()
]


def run(*arguments: object) -> str:
    """Run a module of this repository and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.parametrize("module", ["training.changes", "training.calibration", "training.lexicon"])
def test_a_command_explains_itself(module: str) -> None:
    assert f"python -m {module}" in run(module, "--help")


def test_a_small_change_network_is_trained_and_nothing_is_written(tmp_path: Path) -> None:
    chat = tmp_path / "beam-100k" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    messages = [{"role": "user", "id": id, "content": text + "."} for id, text in enumerate(STATEMENTS)]
    (chat / "chat.json").write_text(json.dumps([{"turns": [messages]}]))
    (chat / "probing_questions" / "probing_questions.json").write_text("{}")
    written = tmp_path / "networks.npz"
    assert "round 1 of 1: loss 0." in run("training.changes", "--quick", "--data", tmp_path, "--out", written)
    assert not written.exists()


def test_the_calibration_reads_the_candidates_of_a_question() -> None:
    dataset = locomo.load(ROOT / "benchmarks" / "friends.json", "friends")
    for candidates in islice(calibration.all_candidates(dataset), 3):
        assert candidates.features.shape == (10, 6)
        assert candidates.relevant.sum() >= 1
