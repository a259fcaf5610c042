"""The sentences that the change networks are trained on, from files, templates and chats."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import blocks, chat_statements, fact_changes, fact_changes_more
from mnemic.embedders.table import TableEmbedder
from training.changes import templates
from training.changes.pairs import Pairs, Wordings

if TYPE_CHECKING:
    from mnemic.upkeep.change_model.network import Array

NEAREST = 20
WEIGHTS = {"wordings.txt": 6, "wordings_more.txt": 1, "patterns.txt": 0.4}
"""The files of wordings, and how often their kinds of fact are drawn: most real facts are of few kinds."""

SENTENCES = Path(__file__).with_name("sentences")
"""Blocks of everyday sentences; see `benchmarks.blocks`."""

SOURCES = (*WEIGHTS, "templates.py", "benchmarks", *sorted({file.stem.split("_")[0] for file in SENTENCES.iterdir()}))
"""The sources that can be left out: files of wordings, templates, and groups of files in `sentences/`."""

EMBEDDER = TableEmbedder()


def load(data: Path, *, without: str | None = None) -> Pairs:
    """Return the pairs to draw from, without one of the sources if asked for."""
    wordings = Wordings()
    if without != "benchmarks":
        wordings.add([*fact_changes.KINDS, *fact_changes_more.MORE_KINDS])
    if without != "templates.py":
        wordings.add(templates.KINDS)
        wordings.add_others(templates.FOLLOW_UPS)
    for file, weight in WEIGHTS.items():
        if file != without:
            wordings.read(Path(__file__).with_name(file), weight)
    files = [file for file in sorted(SENTENCES.glob("*.txt")) if file.stem.split("_")[0] != without]
    chats = [pair for statements in chat_statements.statements(data)[::2] for pair in _near(statements)]
    return Pairs(wordings, [block for file in files for block in blocks.read(file)], chats)


def vectors(words: list[str]) -> Array:
    """Return the vectors of words."""
    return np.stack([_vector(word) for word in words])


def _near(statements: list[str]) -> list[tuple[str, str]]:
    """Return each statement with those nearest to it, as upkeep compares them."""
    embedded = EMBEDDER.embed(statements)
    nearest = np.argsort(-(embedded @ embedded.T), 1)[:, 1 : NEAREST + 1]
    return [(statements[row], statements[other]) for row, others in enumerate(nearest) for other in others]


@cache
def _vector(word: str) -> Array:
    vector: Array = EMBEDDER.embed([word])[0]
    return vector
