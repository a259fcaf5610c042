"""Measure Mnemic, and with --peers other libraries: prints tables and writes JSON and plots."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks import core, experience, growth, plot, quality, report
from benchmarks.measure import ROOT, Figure
from benchmarks.systems import OFFLINE, SYSTEMS

_PIPED_WIDTH = 110


def main() -> None:
    """Measure, print and write."""
    options = _arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    before = report.machine()
    peers: list[Figure] = []
    peers_count = 500 if options.quick else 5_000
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.out) as folder:
        count, repeats = (2_000, 60) if options.quick else (50_000, 1_000)
        bench = core.Bench(Path(folder).absolute(), count, repeats, fresh_install=not options.quick)
        figures = list(core.measure(bench))
        sizes = growth.QUICK_SIZES if options.quick else growth.SIZES
        grown, points = growth.measure(Path(folder).absolute() / "growth", sizes, repeats=20 if options.quick else 100)
        figures += grown
        figures += experience.measure(Path(folder).absolute(), count, repeats=repeats * 2 // 5)
        if options.peers is not None:
            peers = _peers(Path(folder).absolute(), options.peers, peers_count, repeats=30 if options.quick else 200)
            peers += [figure for figure in figures if figure.operation == "fresh install"]
    console = Console() if sys.stdout.isatty() else Console(width=_PIPED_WIDTH)
    console.print(report.figures_table(figures))
    if peers:
        console.print(report.peers_table(peers, peers_count))
    after = report.machine()
    console.print(", ".join(before.values()) + f"; at the end {after['load']}, {after['speed']}", style="dim")
    console.print(report.summary(figures))
    if not options.quick:
        print(quality.report(options.data, options.out, peers=options.peers))
    name = "bench-peers" if peers else "bench"
    results = {
        "machine": before,
        "figures": [figure.to_dict() for figure in figures],
        "peers": [figure.to_dict() for figure in peers],
    }
    (options.out / f"{name}.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    (options.out / f"{name}.svg").write_text(plot.svg(figures, peers, peers_count, before))
    (options.out / "growth.svg").write_text(plot.growth_svg(points, before))
    console.print(f"written: {name}.json, {name}.svg and growth.svg in {options.out.name}/", style="dim")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small store and few repeats: under a minute")
    parser.add_argument("--out", type=Path, default=ROOT / ".bench", help="a folder on the disk to measure")
    parser.add_argument("--data", type=Path, default=quality.DATA, help="the evaluation sets, for quality")
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="a Python that has mem0ai and chromadb")
    return parser.parse_args()


def _peers(folder: Path, peers_python: Path, count: int, *, repeats: int) -> list[Figure]:
    figures = []
    for system in SYSTEMS:
        python = sys.executable if system == "mnemic" else peers_python.absolute()
        size = ["--count", str(count), "--repeats", str(repeats)]
        process = subprocess.run(
            [python, "-m", "benchmarks.peers", system, folder / system, *size],
            stdout=subprocess.PIPE,
            check=True,
            cwd=ROOT,
            env=os.environ | OFFLINE,
        )
        figures += [Figure.from_dict(data) for data in json.loads(process.stdout)]
    return figures


if __name__ == "__main__":
    main()
