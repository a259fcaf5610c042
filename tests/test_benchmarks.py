"""The shape of the benchmarks' report; `make bench` measures the speed itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from benchmarks import blocks
from benchmarks.measure import Figure, Target, Times
from benchmarks.report import summary

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    quick = [sys.executable, "-m", "benchmarks.run", "--quick", "--out", folder]
    subprocess.run(quick, cwd=ROOT, check=True, capture_output=True, timeout=100)
    return folder


@pytest.fixture(scope="module")
def report(out: Path) -> Mapping[str, Any]:
    report: dict[str, Any] = json.loads((out / "bench.json").read_text())
    return report


def test_every_operation_of_the_core_is_measured(report: Mapping[str, Any]) -> None:
    operations = " ".join(figure["operation"] for figure in report["figures"])
    for operation in (
        "bulk add",
        "durable add, without embedding",
        "fdatasync",
        "scope",
        "everywhere",
        "open",
        "import",
        "memory",
        "size",
    ):
        assert operation in operations


def test_times_are_reported_as_cpu_and_wall_with_their_spread(report: Mapping[str, Any]) -> None:
    timed = [figure["readings"] for figure in report["figures"] if figure["unit"] in ("ms", "s")]
    assert timed
    for readings in timed:
        assert set(readings) == {"cpu_p50", "cpu_p95", "wall_p50", "wall_p95"}
        assert 0 < readings["cpu_p50"] <= readings["cpu_p95"]


def test_a_durable_add_stands_beside_the_sync_of_the_same_disk(report: Mapping[str, Any]) -> None:
    add = next(figure for figure in report["figures"] if figure["operation"] == "durable add, without embedding")
    assert add["floor"]["wall_p50"] > 0
    assert add["verdict"] in ("ok", "misses")


def test_the_plot_names_every_judged_figure_and_no_path(out: Path, report: Mapping[str, Any]) -> None:
    drawing = ElementTree.fromstring((out / "bench.svg").read_text())  # noqa: S314
    drawn = list(drawing.itertext())
    for figure in report["figures"]:
        assert (figure["operation"] in drawn) == bool(figure["target"])
    words = " ".join(drawn)
    assert str(out) not in words + json.dumps(report)
    assert str(ROOT) not in words + json.dumps(report)


def test_nothing_but_the_report_is_left_behind(out: Path) -> None:
    assert sorted(path.name for path in out.iterdir()) == ["bench.json", "bench.svg", "growth.svg"]


def test_a_missed_target_is_named() -> None:
    slow = Figure("open", "mnemic", "s", {"cpu_p50": 0.2, "wall_p50": 0.4}, Target(0.3, ("cpu_p50", "wall_p50")))
    fast = Figure("bulk add", "mnemic", "per s", {"cpu": 20_000}, Target(15_000, ("cpu",), at_least=True))
    assert (slow.verdict, fast.verdict) == ("misses", "ok")
    assert summary([slow, fast]) == "1 of 2 targets met; missed: open"


def test_a_figure_comes_back_from_json_as_it_was() -> None:
    figure = Figure("open", "mnemic", "s", {"wall_p50": 0.4}, Target(0.3, ("wall_p50",)), {"wall_p50": 0.1}, "warm")
    assert Figure.from_dict(json.loads(json.dumps(figure.to_dict()))) == figure


def test_times_of_a_process_that_fails_are_an_error() -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        Times().take_process(sys.executable, "-c", "raise SystemExit(3)")


def test_no_measured_everyday_sentence_was_trained_on() -> None:
    def sentences(file: Path) -> set[str]:
        lines = (line for block in blocks.read(file) for line in (block.older, *block.closing, *block.others))
        return {line.lower().rstrip(".") for line in lines}

    trained_on = [sentences(file) for file in (ROOT / "training" / "changes" / "sentences").glob("*.txt")]
    measured = sentences(ROOT / "benchmarks" / "everyday.txt")
    assert measured
    assert trained_on
    assert measured.isdisjoint(set[str]().union(*trained_on))
