"""The figures of Mnemic itself, each with its target."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import targets
from benchmarks.corpus import BATCH, Corpus, user_of
from benchmarks.install import fresh_install_size
from benchmarks.mcp import recall_over_stdio
from benchmarks.measure import Figure, Times, folder_size, percentile, progress
from mnemic import Mind
from mnemic.embedders.table import TableEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

SYSTEM = "mnemic"

_LOG_LENGTH = 4_000_000
"""About the size at which SQLite starts its log again from the beginning; the floor does the same."""

_SIZED = 50
"""The number of adds from which the bytes of one add are taken."""

_IMPORT = "from mnemic import Mind"
_ANSWER = """
import sys
from mnemic import Mind
from mnemic.embedders.table import TableEmbedder
with Mind(sys.argv[1]) as mind:
    assert mind.recall(sys.argv[2], user="user-0")
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@dataclass
class Bench:
    """What the measurements share: a folder, texts, and how much to do."""

    folder: Path
    count: int
    repeats: int
    fresh_install: bool

    def __post_init__(self) -> None:
        """Generate the texts."""
        self.corpus = Corpus()
        self.texts = self.corpus.texts(self.count)
        self.store = self.folder / "mind"
        self.plain = self.folder / "plain"

    def texts_of(self, user: str) -> list[str]:
        """Return the texts of one user."""
        return [text for index, text in enumerate(self.texts) if user_of(index, self.count) == user]


class ReadyEmbedder:
    """An embedder without work to do, so that only the store is measured."""

    name = "ready"
    dimension = 256

    def __init__(self) -> None:
        rows = np.random.default_rng(1).standard_normal((1_024, self.dimension)).astype(np.float32)
        self._rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one fixed row per text, whatever the text."""
        vectors: NDArray[np.float32] = self._rows[: len(texts)]
        return vectors


def bulk_add(bench: Bench) -> Iterator[Figure]:
    """Fill a store in batches, without and with the work of embedding."""
    drafts = [{"text": text, "user": user_of(index, bench.count)} for index, text in enumerate(bench.texts)]
    for operation, mind, target in (
        ("bulk add, without embedding", Mind(bench.plain, embedder=ReadyEmbedder()), None),
        ("bulk add, with embedding", Mind(bench.store), targets.BULK_ADD_EMBEDDED_PER_S),
    ):
        times = Times()
        with mind:
            for start in range(0, len(drafts), BATCH):
                times.take(mind.remember_many, drafts[start : start + BATCH])
        note = f"{bench.count:,} in batches of {BATCH:,}"
        yield Figure(operation, SYSTEM, "per s", times.rate(bench.count), target, note=note)


def store_size(bench: Bench) -> Iterator[Figure]:
    """Compare the size of the filled store with that of its texts."""
    text = sum(len(text.encode()) for text in bench.texts)
    yield Figure(
        "store size per memory",
        SYSTEM,
        "bytes",
        {"value": folder_size(bench.store) / bench.count},
        floor={"value": text / bench.count},
        note="floor: the text alone",
    )


def durable_add(bench: Bench) -> Iterator[Figure]:
    """Add one memory at a time, each followed by a bare sync of the same number of bytes on the same disk.

    The number of bytes is taken from the first adds, which are not timed.
    """
    adds, syncs = Times(), Times()
    ready = ReadyEmbedder()
    texts = bench.corpus.texts(_SIZED + bench.repeats)
    drafts = [(text, user_of(index, bench.count)) for index, text in enumerate(texts)]
    with Mind(bench.plain, embedder=ready) as mind, (bench.folder / "floor").open("wb", buffering=0) as file:
        sizes = [_bytes_added(mind, *draft) for draft in drafts[:_SIZED]]
        data = b"\x5a" * round(percentile(sizes, 50))
        for text, user in drafts[_SIZED:]:
            adds.take(mind.remember, text, user=user)
            syncs.take(_write_and_sync, file.fileno(), data)
    yield Figure(
        "durable add, without embedding",
        SYSTEM,
        "ms",
        adds.spread(1_000),
        targets.DURABLE_ADD_MS,
        floor=syncs.spread(1_000),
        note=f"into {bench.count:,}; floor: write and fdatasync the same bytes, in turn ({len(data) / 1_024:.0f} KB)",
    )
    yield Figure(
        "durable add against fdatasync, wall",
        SYSTEM,
        "times",
        {"value": percentile(adds.wall, 50) / percentile(syncs.wall, 50)},
        targets.DURABLE_ADD_TIMES_FDATASYNC,
        floor={"value": 1},
    )


def _bytes_added(mind: Mind, text: str, user: str) -> int:
    before = _bytes_written()
    mind.remember(text, user=user)
    return _bytes_written() - before


def _bytes_written() -> int:
    counters = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counters["wchar"])


def _write_and_sync(file: int, data: bytes) -> None:
    if os.lseek(file, 0, os.SEEK_CUR) > _LOG_LENGTH:
        os.lseek(file, 0, os.SEEK_SET)
    os.write(file, data)
    os.fdatasync(file)


class CachingEmbedder:
    """An embedder that embeds a text once, so that a second recall measures everything but the embedding."""

    def __init__(self) -> None:
        self._embedder = TableEmbedder()
        self._known: dict[str, NDArray[np.float32]] = {}
        self.name, self.dimension = self._embedder.name, self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts."""
        self._known |= {text: self._embedder.embed([text])[0] for text in texts if text not in self._known}
        return np.array([self._known[text] for text in texts])


def recall(bench: Bench) -> Iterator[Figure]:
    """Recall inside one scope, everywhere, and right after an add."""
    mine = bench.texts_of("user-0")
    embedder = CachingEmbedder()
    embeddings, scoped, everywhere, after_add = Times(), Times(), Times(), Times()
    about_mine = [bench.corpus.question(mine) for _ in range(bench.repeats)]
    about_all = [bench.corpus.question(bench.texts) for _ in range(bench.repeats)]
    for question in (*about_mine, *about_all):
        embeddings.take(embedder.embed, [question])
    with Mind(bench.store, embedder=embedder) as mind:
        for question in about_mine:
            scoped.take(mind.recall, question, user="user-0")
        for question in about_all:
            everywhere.take(mind.recall, question, everywhere=True)
        for number, text in enumerate(bench.corpus.texts(bench.repeats // 5)):
            mind.remember(f"{text} {number}", user="user-0")
            after_add.take(mind.recall, about_mine[0], user="user-0")
    for operation, times, target, note in (
        (f"recall, {len(mine):,} of {bench.count:,} in scope", scoped, targets.RECALL_IN_SCOPE_MS, "words and meaning"),
        (f"recall, everywhere in {bench.count:,}", everywhere, targets.RECALL_EVERYWHERE_MS, "words and meaning"),
        ("recall in scope, right after an add", after_add, None, "the index first takes in the new memory"),
        ("embedding of such a question", embeddings, None, "not in the figures above"),
    ):
        yield Figure(operation, SYSTEM, "ms", times.spread(1_000), target, note=note)


def open_and_answer(bench: Bench) -> Iterator[Figure]:
    """Start a process that opens the store and answers one question."""
    question = bench.corpus.question(bench.texts_of("user-0"))
    starts, imports, answers = Times(), Times(), Times()
    peaks = []
    for _ in range(max(3, bench.repeats // 40)):
        starts.take_process(sys.executable, "-c", "pass")
        imports.take_process(sys.executable, "-c", _IMPORT)
        peaks.append(int(answers.take_process(sys.executable, "-c", _ANSWER, str(bench.store), question)))
    floor = starts.spread(1)
    yield Figure("import, fresh process", SYSTEM, "s", imports.spread(1), floor=floor, note="floor: Python alone")
    yield Figure(
        f"open {bench.count:,} and answer, fresh process",
        SYSTEM,
        "s",
        answers.spread(1),
        targets.OPEN_AND_ANSWER_S,
        floor=floor,
        note=f"warm cache, after {bench.repeats // 5:,} single adds; floor: Python alone",
    )
    yield Figure(
        f"memory with {bench.count:,} open",
        SYSTEM,
        "MB",
        {"value": percentile(peaks, 50) * 1_024 / 1e6},
        note="peak of that process",
    )


def install_size(bench: Bench) -> Iterator[Figure]:
    """Install the core into a fresh environment and return its size."""
    if bench.fresh_install:
        yield Figure(
            "fresh install",
            SYSTEM,
            "MB",
            {"value": fresh_install_size(bench.folder / "venv") / 1e6},
            targets.INSTALL_MB,
            note="without pip and setuptools",
        )


MEASUREMENTS: tuple[Callable[[Bench], Iterator[Figure]], ...] = (
    bulk_add,
    store_size,
    durable_add,
    recall,
    recall_over_stdio,
    open_and_answer,
    install_size,
)
"""The order matters: the first one fills the store that the others use."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Take every measurement."""
    for measurement in MEASUREMENTS:
        progress(measurement.__name__.replace("_", " "))
        yield from measurement(bench)
