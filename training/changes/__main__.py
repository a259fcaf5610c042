"""Learn from what is told what closes a memory: ``python -m training.changes --data ../shared/data``."""

from __future__ import annotations

import argparse
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import blocks, chat_statements, fact_changes, fact_changes_more
from benchmarks.measure import ROOT
from mnemic.embedders.table import TableEmbedder
from training.changes import varied
from training.changes.learning import learned, save
from training.changes.pairs import Pairs, Wordings

if TYPE_CHECKING:
    from mnemic.upkeep.change_model.network import Array

ROUNDS, SAMPLE, NETWORKS = 36, 22_000, 4
NEAREST = 20
FILES = {"wordings.txt": 6, "wordings_more.txt": 1, "patterns.txt": 0.4}
"""The wordings that are learned from, and how often: most of what people tell is of few kinds."""

FOLDER = Path(__file__).with_name("sentences")
"""What people of many sorts may tell of all of life, and what they tell next."""

EMBEDDER = TableEmbedder()


def main() -> None:
    """Learn and write."""
    parser = argparse.ArgumentParser(prog="python -m training.changes", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the development data")
    given = parser.parse_args()
    wordings = Wordings()
    wordings.add([*fact_changes.KINDS, *fact_changes_more.MORE_KINDS, *varied.KINDS])
    wordings.add_others(varied.FOLLOW_UPS)
    for file, often in FILES.items():
        wordings.read(Path(__file__).with_name(file), often)
    chatted = [pair for said in chat_statements.statements(given.data)[::2] for pair in _near(said)]
    told = [one for file in sorted(FOLDER.glob("*.txt")) for one in blocks.read(file)]
    pairs = Pairs(wordings, told, chatted)
    kinds = max(pairs.numbers.values()) + 1
    save(EMBEDDER.name, learned(partial(pairs.batch, SAMPLE), _meanings, kinds, ROUNDS, NETWORKS))


def _near(said: list[str]) -> list[tuple[str, str]]:
    """Return each statement with those nearest to it, as upkeep compares them."""
    meanings = EMBEDDER.embed(said)
    nearest = np.argsort(-(meanings @ meanings.T), 1)[:, 1 : NEAREST + 1]
    return [(said[place], said[other]) for place, others in enumerate(nearest) for other in others]


def _meanings(words: list[str]) -> Array:
    return np.stack([_meaning(word) for word in words])


@cache
def _meaning(word: str) -> Array:
    meaning: Array = EMBEDDER.embed([word])[0]
    return meaning


if __name__ == "__main__":
    main()
