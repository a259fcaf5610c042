"""Measure one system, Mnemic or a peer, and print JSON; run it where the system is installed."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import targets
from benchmarks.corpus import BATCH, Corpus, user_of
from benchmarks.install import installed_size
from benchmarks.measure import Figure, Times, folder_size, progress
from benchmarks.systems import OFFLINE, SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.measure import Target
    from benchmarks.systems import System

_IMPORTS = {"mnemic": "from mnemic import Mind", "chromadb": "import chromadb", "mem0ai": "import mem0"}
_ANSWER = """
import sys
from pathlib import Path
from benchmarks.systems import SYSTEMS
system = SYSTEMS[sys.argv[1]](Path(sys.argv[2]))
assert system.search(sys.argv[3], "user-0")
system.close()
"""


@dataclass(frozen=True)
class Trial:
    """The measurements of one system in a folder."""

    name: str
    folder: Path
    count: int
    repeats: int

    def figures(self) -> Iterator[Figure]:
        """Take every measurement."""
        corpus = Corpus()
        texts = corpus.texts(self.count)
        mine = [text for index, text in enumerate(texts) if user_of(index, self.count) == "user-0"]
        system = SYSTEMS[self.name](self.folder)
        yield self._bulk_add(system, texts)
        yield self._add(system, corpus)
        yield self._search(system, corpus, mine)
        system.close()
        size = folder_size(self.folder) / (self.count + self.repeats)
        yield self._figure("store size per memory", "bytes", {"value": size})
        yield from self._fresh_processes(corpus.question(mine))
        if self.name != "mnemic":
            yield self._figure("fresh install", "MB", {"value": installed_size(self.name) / 1e6})

    def _bulk_add(self, system: System, texts: list[str]) -> Figure:
        times = Times()
        for start in range(0, self.count, BATCH):
            self._progress(f"bulk add, {start:,} of {self.count:,}")
            batch = texts[start : start + BATCH]
            times.take(system.add_many, batch, [user_of(start + index, self.count) for index in range(len(batch))])
        return self._figure("bulk add", "per s", times.rate(self.count), targets.BULK_ADD_EMBEDDED_PER_S)

    def _add(self, system: System, corpus: Corpus) -> Figure:
        self._progress("add one")
        times = Times()
        for index, text in enumerate(corpus.texts(self.repeats)):
            times.take(system.add, text, user_of(index, self.count))
        return self._figure("add one", "ms", times.spread(1_000), targets.DURABLE_ADD_MS)

    def _search(self, system: System, corpus: Corpus, mine: list[str]) -> Figure:
        self._progress("search")
        times = Times()
        for _ in range(self.repeats):
            times.take(system.search, corpus.question(mine), "user-0")
        operation = f"search, {len(mine):,} of {self.count:,} in scope"
        return self._figure(operation, "ms", times.spread(1_000), targets.RECALL_IN_SCOPE_MS)

    def _fresh_processes(self, question: str) -> Iterator[Figure]:
        self._progress("import and open in fresh processes")
        imports, answers = Times(), Times()
        for _ in range(max(3, self.repeats // 40)):
            imports.take_process(sys.executable, "-c", _IMPORTS[self.name])
            answers.take_process(sys.executable, "-c", _ANSWER, self.name, str(self.folder), question)
        yield self._figure("import, fresh process", "s", imports.spread(1))
        operation = f"open {self.count:,} and answer, fresh process"
        yield self._figure(operation, "s", answers.spread(1), targets.OPEN_AND_ANSWER_S)

    def _figure(self, operation: str, unit: str, readings: dict[str, float], target: Target | None = None) -> Figure:
        return Figure(operation, self.name, unit, readings, target if self.name == "mnemic" else None)

    def _progress(self, step: str) -> None:
        progress(f"{self.name} {metadata.version(self.name)}: {step}")


def main() -> None:
    """Measure one system and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=SYSTEMS, help="the system to measure")
    parser.add_argument("folder", type=Path, help="a new folder for its store")
    parser.add_argument("--count", type=int, required=True, help="the number of memories")
    parser.add_argument("--repeats", type=int, required=True, help="the number of timed calls")
    options = parser.parse_args()
    os.environ.update(OFFLINE)
    options.folder.mkdir(parents=True)
    trial = Trial(options.system, options.folder.absolute(), options.count, options.repeats)
    print(json.dumps([figure.to_dict() for figure in trial.figures()]))


if __name__ == "__main__":
    main()
