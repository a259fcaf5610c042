"""The time of a recall as a mind grows, and the recall of the vector search against an exact one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import targets
from benchmarks.corpus import BATCH, IN_SCOPE, Corpus
from benchmarks.measure import Figure, Times, progress
from mnemic import Mind
from mnemic.embedders.table import TableEmbedder
from mnemic.model.embedding import EmbeddingModel
from mnemic.model.filter import Selection
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

SIZES = (1_000, 5_000, 50_000, 500_000)
QUICK_SIZES = (600, 1_200)
SYSTEM = "mnemic"
_OTHERS = 999
_NEAREST = 10

Points = dict[str, list[tuple[int, float]]]


def measure(folder: Path, sizes: Sequence[int], repeats: int) -> tuple[list[Figure], Points]:
    """Fill one mind from size to size, and recall in a scope of 500 memories, everywhere, and by vectors alone."""
    corpus = Corpus(seed=2)
    figures: list[Figure] = []
    points: Points = {f"recall, {IN_SCOPE} in scope": [], "recall, everywhere": [], "dense part, everywhere": []}
    texts: list[str] = []
    vectors: list[NDArray[np.float32]] = []
    embedder = TableEmbedder()
    store = SqliteStore(folder, EmbeddingModel(embedder.name, embedder.dimension))
    with Mind.over(store, embedder=embedder) as mind:
        for size in sizes:
            progress(f"growth to {size:,}")
            for start in range(len(texts), size, BATCH):
                new = corpus.texts(min(BATCH, size - start))
                mind.remember_many([{"text": text, "user": _user(start + n)} for n, text in enumerate(new)])
                vectors.append(mind.embedder.embed(new))
                texts += new
            times, share = _ask(mind, store, corpus, texts, np.concatenate(vectors), repeats)
            for name, spent in times.items():
                points[name].append((size, spent.spread(1_000)["cpu_p50"]))
            figures += _figures(size, times, share)
    return figures, points


def _user(index: int) -> str:
    """Return the user of a memory: one user has 500 of the first thousand, many others have the rest."""
    if index < 2 * IN_SCOPE and index % 2 == 0:
        return "user-0"
    return f"user-{1 + index % _OTHERS}"


def _ask(
    mind: Mind, store: SqliteStore, corpus: Corpus, texts: Sequence[str], vectors: NDArray[np.float32], repeats: int
) -> tuple[dict[str, Times], float]:
    scoped, everywhere, dense = Times(), Times(), Times()
    mine = texts[: 2 * IN_SCOPE : 2]
    right = 0
    mind.recall(corpus.question(texts), everywhere=True)
    for _ in range(repeats):
        scoped.take(mind.recall, corpus.question(mine), user="user-0")
        question = corpus.question(texts)
        everywhere.take(mind.recall, question, everywhere=True)
        vector = mind.embedder.embed([question])[0]
        selection = Selection(scope=None, now=datetime.now(UTC))
        with store.view() as view:
            dense.take(view.by_vector, vector, selection, _NEAREST)
            nearest = {number for number, _ in view.by_vector(vector, selection, _NEAREST)}
        cosines = np.einsum("ij,j->i", vectors, vector)  # BLAS's threads would go on spinning into the next measurement
        exact = np.argpartition(-cosines, _NEAREST)[:_NEAREST] + 1
        right += len(nearest & set(exact.tolist()))
    times = {f"recall, {IN_SCOPE} in scope": scoped, "recall, everywhere": everywhere, "dense part, everywhere": dense}
    return times, right / (repeats * _NEAREST)


def _figures(size: int, times: dict[str, Times], share: float) -> Iterator[Figure]:
    for name, spent in times.items():
        target = targets.GROWTH_MS.get((name, size))
        yield Figure(f"{name} of {size:,}", SYSTEM, "ms", spent.spread(1_000), target)
    yield Figure(
        f"dense part, recall@10 of {size:,}",
        SYSTEM,
        "share",
        {"value": share},
        targets.DENSE_RECALL,
        note="against an exact search",
    )
