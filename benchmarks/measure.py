"""Measured figures: CPU and wall time of calls and of fresh processes, sizes, and their targets."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parents[1]


@dataclass
class Times:
    """CPU and wall seconds of the calls of one operation."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def take(self, work: Callable[..., object], *arguments: object, **options: object) -> None:
        """Call the work once and add its times, CPU over all threads."""
        wall, cpu = time.perf_counter(), time.process_time()
        work(*arguments, **options)
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)

    def take_process(self, *argv: str) -> str:
        """Run a program once, add its times from start to end, and return what it printed."""
        wall = time.perf_counter()
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=_compiling()) as process:
            assert process.stdout is not None
            printed = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(usage.ru_utime + usage.ru_stime)
        if process.returncode:
            raise RuntimeError(f"a measured process ended with {process.returncode}: {' '.join(argv)}")
        return printed

    def spread(self, per_second: float) -> dict[str, float]:
        """Return the median and the 95th percentile of both clocks, in a unit of which `per_second` make a second."""
        return {
            f"{clock}_p{share}": percentile(values, share) * per_second
            for clock, values in (("cpu", self.cpu), ("wall", self.wall))
            for share in (50, 95)
        }

    def rate(self, count: int) -> dict[str, float]:
        """Return how many of `count` were done per second of each clock."""
        return {"cpu": count / sum(self.cpu), "wall": count / sum(self.wall)}


@dataclass(frozen=True)
class Target:
    """A limit that some readings of a figure should keep."""

    limit: float
    readings: tuple[str, ...]
    at_least: bool = False

    def worst(self, values: Mapping[str, float]) -> str:
        """Return the name of the worst reading."""
        return (min if self.at_least else max)(self.readings, key=lambda name: values[name])

    def met(self, values: Mapping[str, float]) -> bool:
        """Return whether every reading keeps the limit."""
        worst = values[self.worst(values)]
        return worst >= self.limit if self.at_least else worst <= self.limit


@dataclass(frozen=True)
class Figure:
    """One measured figure of one system: readings in a unit, with a target and a floor."""

    operation: str
    system: str
    unit: str
    readings: dict[str, float]
    target: Target | None = None
    floor: dict[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def verdict(self) -> str:
        """Return "ok" or "misses", empty without a target."""
        if self.target is None:
            return ""
        return "ok" if self.target.met(self.readings) else "misses"

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as JSON-able values."""
        return asdict(self) | {"verdict": self.verdict}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Figure:
        """Build a figure from the result of `to_dict`."""
        fields = {name: value for name, value in data.items() if name != "verdict"}
        target = data["target"]
        return cls(
            **fields | {"target": Target(**target | {"readings": tuple(target["readings"])}) if target else None}
        )


def _compiling() -> dict[str, str]:
    """Return an environment in which Python keeps compiled modules, as an installation does."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value below which `share` percent of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]


def progress(step: str) -> None:
    """Print on the error stream what is being measured."""
    sys.stderr.write(f"  … {step}\n")
    sys.stderr.flush()


def folder_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
