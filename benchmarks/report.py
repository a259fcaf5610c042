"""The figures as tables in the terminal, and as JSON."""

from __future__ import annotations

import os
import platform
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.measure import Figure

_CAUTION = "CPU time is the figure; wall time depends on the load of the machine."
_STYLES = {"ok": "green", "misses": "bold red"}
_ADDITIONS = 5_000_000


def machine() -> dict[str, str]:
    """Return the facts about this machine that figures depend on."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return {
        "processor": f"{os.cpu_count()} × {_processor()}",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"Python {platform.python_version()}",
        "sqlite": f"SQLite {sqlite3.sqlite_version}",
        "load": f"load {load}",
        "speed": f"plain Python {_speed() / 1e6:.0f} million additions a second",
    }


def _speed() -> float:
    """Return the additions that plain Python does per CPU second, which varies on a shared machine."""
    start = time.process_time()
    total = 0
    for number in range(_ADDITIONS):
        total += number
    return _ADDITIONS / (time.process_time() - start)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.split(":", 1)[1].split())
    return platform.processor() or "processor"


def figures_table(figures: Sequence[Figure]) -> Table:
    """Return the figures of Mnemic as a table, each with its floor and its target."""
    table = Table(
        title="Mnemic",
        caption=f"Times are p50 / p95, floors p50 of CPU / wall. {_CAUTION}",
        box=SIMPLE,
        pad_edge=False,
    )
    table.add_column("operation", min_width=12)
    for title in ("CPU", "wall", "floor", "target"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("")
    for figure in figures:
        table.add_row(
            f"{figure.operation}, {figure.unit}" + (f"\n[dim]{figure.note}[/dim]" if figure.note else ""),
            _cells(figure.readings, "cpu", "cpu_p50", "cpu_p95", "value"),
            _cells(figure.readings, "wall", "wall_p50", "wall_p95"),
            _cells(figure.floor, "cpu_p50", "wall_p50", "value"),
            target_text(figure),
            Text(figure.verdict, style=_STYLES.get(figure.verdict, "")),
        )
    return table


def peers_table(figures: Sequence[Figure], count: int) -> Table:
    """Return the same figures of several systems as a table."""
    title = f"Mnemic beside its peers, {count:,} memories"
    table = Table(title=title, caption="Times and rates are CPU / wall, p50.", box=SIMPLE, pad_edge=False)
    systems = list(dict.fromkeys(figure.system for figure in figures))
    table.add_column("operation", min_width=12)
    for system in systems:
        table.add_column(system, justify="right", no_wrap=True)
    for operation, of_each in by_operation(figures).items():
        unit = next(iter(of_each.values())).unit
        cells = (
            _cells(of_each[name].readings, "cpu", "cpu_p50", "wall", "wall_p50", "value") if name in of_each else "–"
            for name in systems
        )
        table.add_row(f"{operation}, {unit}", *cells)
    return table


def by_operation(figures: Sequence[Figure]) -> dict[str, dict[str, Figure]]:
    """Group figures by operation, then by system, both in the order they first came."""
    systems = dict.fromkeys(figure.system for figure in figures)
    figure_of = {(figure.operation, figure.system): figure for figure in figures}
    return {
        operation: {system: figure_of[operation, system] for system in systems if (operation, system) in figure_of}
        for operation in dict.fromkeys(figure.operation for figure in figures)
    }


def summary(figures: Sequence[Figure]) -> str:
    """Return how many targets are met, and the names of those that are not."""
    judged = [figure for figure in figures if figure.target is not None]
    missed = [figure.operation for figure in judged if figure.verdict == "misses"]
    met = f"{len(judged) - len(missed)} of {len(judged)} targets met"
    return met + (f"; missed: {'; '.join(missed)}" if missed else "")


def number(value: float) -> str:
    """Return a number with three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"


def target_text(figure: Figure) -> str:
    """Return the target of a figure as text."""
    if figure.target is None:
        return ""
    return f"{'≥' if figure.target.at_least else '≤'} {number(figure.target.limit)}"


def main_reading(figure: Figure) -> float:
    """Return the reading that stands for the figure: CPU time, or the one there is."""
    return next(figure.readings[name] for name in ("cpu_p50", "cpu", "value") if name in figure.readings)


def _cells(readings: dict[str, float], *names: str) -> str:
    return " / ".join(number(readings[name]) for name in names if name in readings)
