"""The figures of experience trees, each with its target: python -m benchmarks.experience measures only them."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from benchmarks import report, targets
from benchmarks.measure import ROOT, Figure, Times, percentile, progress
from mnemic.experience import MemoryEngine
from mnemic.experience.dataset.generate import generate
from mnemic.experience.picture import page
from mnemic.rules.language.terms import query_words

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEM = "mnemic"
_QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
_ZOOM = """async () => {
    const times = [];
    for (let i = 0; i < 60; i++) {
        const start = performance.now();
        topologyView.zoom(i % 20 < 10 ? 1.08 : 1 / 1.08);
        await new Promise(requestAnimationFrame);
        times.push((performance.now() - start) / 1000);
    }
    return times;
}"""


def measure(folder: Path, count: int, *, repeats: int) -> Iterator[Figure]:
    """Take every measurement of a tree of `count` experiences."""
    root = folder / "tree"
    for step, measurement in (
        ("experience: bulk", _bulk(root, count)),
        ("experience: open", _open(root, count)),
        ("experience: recall", _recall(root, count, repeats)),
        ("experience: remember", _remember(root, folder / "floor", count, repeats)),
        ("experience: topology", _topology(root, folder / "topology.html", count)),
    ):
        progress(step)
        yield from measurement


def _bulk(root: Path, count: int) -> Iterator[Figure]:
    entries = list(generate(count, seed=1))
    peaks: list[int] = []
    times = Times()
    with MemoryEngine(root) as engine:
        times.take(engine.remember_many, iter(entries), progress=lambda *_: peaks.append(_resident()))
    note = f"{count:,} in one go, with files, index and vectors"
    yield Figure(
        "experience remember_many", SYSTEM, "per s", times.rate(count), targets.EXPERIENCE_BULK_PER_S, note=note
    )
    growth = (peaks[-1] - peaks[len(peaks) // 2]) / 1e6
    note = "from the middle to the end, mostly the returned paths"
    yield Figure("experience remember_many, memory grown", SYSTEM, "MB", {"value": growth}, note=note)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _open(root: Path, count: int) -> Iterator[Figure]:
    times = Times()
    for _ in range(5):
        times.take(lambda: MemoryEngine(root).close())
    note = f"{count:,} files in sync"
    yield Figure("experience open", SYSTEM, "s", times.spread(1), targets.EXPERIENCE_OPEN_S, note=note)


def _recall(root: Path, count: int, repeats: int) -> Iterator[Figure]:
    rng = random.Random(2)
    texts = [entry["content"] for entry in generate(min(count, 2_000), seed=1)]
    by_meaning, by_route, both, reflecting = Times(), Times(), Times(), Times()
    routes: list[dict[str, Any]] = [{"outcome": "failure"}, {"tool": "web_search"}, {"task_type": "debug"}, {}]
    with MemoryEngine(root) as engine:
        engine.recall("warm up", outcome="failure")
        for number in range(repeats):
            words = query_words(rng.choice(texts))
            question = " ".join(rng.sample(words, min(len(words), rng.randint(3, 8))))
            by_meaning.take(engine.recall, question)
            by_route.take(engine.recall, **routes[number % 4])
            both.take(engine.recall, question, **routes[number % 3])
        for _ in range(5):
            reflecting.take(engine.reflect)
    where = f"in {count:,}"
    yield Figure(
        "experience recall by meaning",
        SYSTEM,
        "ms",
        by_meaning.spread(1_000),
        targets.EXPERIENCE_MEANING_MS,
        note=where,
    )
    yield Figure(
        "experience recall by route", SYSTEM, "ms", by_route.spread(1_000), targets.EXPERIENCE_ROUTE_MS, note=where
    )
    yield Figure("experience recall by both", SYSTEM, "ms", both.spread(1_000), note=where)
    yield Figure("experience reflect", SYSTEM, "s", reflecting.spread(1), targets.EXPERIENCE_REFLECT_S, note=where)


def _remember(root: Path, floor: Path, count: int, repeats: int) -> Iterator[Figure]:
    adds, syncs, recalls = Times(), Times(), Times()
    with MemoryEngine(root) as engine, floor.open("wb", buffering=0) as file:
        for entry in generate(min(repeats, 200), seed=9):
            adds.take(engine.remember, **entry)
            syncs.take(_write_and_sync, file.fileno())
        for entry in generate(min(repeats, 40), seed=10):
            engine.remember(**entry)
            recalls.take(engine.recall, entry["content"])
    note = f"into {count:,}; floor: write 4 KB and fdatasync, in turn"
    floor_times = syncs.spread(1_000)
    yield Figure("experience remember", SYSTEM, "ms", adds.spread(1_000), floor=floor_times, note=note)
    yield Figure(
        "experience remember against fdatasync, wall",
        SYSTEM,
        "times",
        {"value": percentile(adds.wall, 50) / percentile(syncs.wall, 50)},
        targets.EXPERIENCE_TIMES_FDATASYNC,
        floor={"value": 1},
    )
    note = "the index first takes in the new file and reads its folder again"
    yield Figure("experience recall right after remember", SYSTEM, "ms", recalls.spread(1_000), note=note)


def _write_and_sync(file: int) -> None:
    os.write(file, b"\x5a" * 4_096)
    os.fdatasync(file)


def _topology(root: Path, html: Path, count: int) -> Iterator[Figure]:
    times = Times()
    with MemoryEngine(root) as engine:
        times.take(lambda: html.write_text(page(engine.topology(), title="generated work")))
    yield Figure("experience topology and page", SYSTEM, "s", times.spread(1), note=f"of {count:,}, once")
    program = shutil.which("chromium")
    if program is None:
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_QUIET))
        tab = browser.new_page(viewport={"width": 1400, "height": 1000})
        tab.goto(html.absolute().as_uri())
        tab.wait_for_selector("html[data-ready=true]")
        frames = tab.evaluate(_ZOOM)
        browser.close()
    readings = {f"wall_p{share}": percentile(frames, share) * 1_000 for share in (50, 95)}
    note = f"{count:,} dots in Chromium, without a graphics card"
    yield Figure("experience page, a frame while zooming", SYSTEM, "ms wall", readings, targets.FRAME_MS, note=note)


def main() -> None:
    """Measure experience trees and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experience", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small tree and few repeats")
    parser.add_argument("--out", type=Path, default=ROOT / ".bench", help="a folder on the disk to measure")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.out) as folder:
        count, repeats = (1_000, 40) if options.quick else (50_000, 400)
        figures = list(measure(Path(folder).absolute(), count, repeats=repeats))
    console = Console(width=110)
    console.print(report.figures_table(figures))
    console.print(report.summary(figures))


if __name__ == "__main__":
    main()
