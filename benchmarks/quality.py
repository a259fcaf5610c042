"""Measure what recall finds: RealMem, BEAM and PrecisionMemBench, beside BM25, vectors alone, and peers when asked to.

The settings of the ranking were chosen on one half of the questions; the other half is reported.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import ROOT, progress
from benchmarks.systems import OFFLINE
from mnemic import Mind
from mnemic.evaluation import beam, locomo, precision, realmem
from mnemic.evaluation.metrics import METRICS, Estimate
from mnemic.evaluation.report import table, to_json
from mnemic.evaluation.run import Result, run
from mnemic.evaluation.systems import Mnemic, offline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.evaluation.dataset import Dataset
    from mnemic.evaluation.precision import Precision

DATA = ROOT.parent / "shared" / "data"
TARGETS = {("RealMem", "session"): 0.80, ("BEAM", "message"): 0.52}
PRECISION_TARGET, PRECISION_RECALL = 0.5, 0.9


def datasets(data: Path) -> Iterator[Dataset]:
    """Yield the datasets that are there, the halves for the report where the other half was tuned on."""
    yield locomo.load(ROOT / "benchmarks" / "friends.json", "friends").half(1)
    if (data / "realmem").is_dir():
        yield realmem.load(data / "realmem", "session").half(1)
        yield realmem.load(data / "realmem", "turn").half(1)
    if (data / "beam-100k").is_dir():
        yield beam.load(data / "beam-100k").half(1)
    if (data / "locomo10.json").is_file():
        yield locomo.load(data / "locomo10.json")
    if (data / "realtalk").is_dir():
        yield locomo.load_realtalk(data / "realtalk")


def measure(data: Path, *, models: Path | None = None) -> list[Result]:
    """Return the results of every system on every dataset; with `models`, of the reranker kept there too."""
    systems = offline()
    if models is not None:
        from mnemic.rerankers.onnx import OnnxReranker

        reranker = OnnxReranker(models)
        systems["mnemic, reranked"] = lambda: Mnemic(reranker=reranker)
    results = []
    for dataset in datasets(data):
        for name, make in systems.items():
            progress(f"{dataset.name} {dataset.unit}: {name}")
            results += run(dataset, name, make)
    return results


def measure_precision(folder: Path) -> dict[str, Precision]:
    """Return what the default cut, and no cut, return on PrecisionMemBench."""
    beliefs, cases = precision.load(folder)
    with Mind(":memory:") as mind:
        names = precision.fill(mind, beliefs)
        return {
            name: precision.judge([(case, precision.ask(mind, names, case, min_score=least)) for case in cases])
            for name, least in (("default cut", None), ("no cut", 0.0))
        }


def measure_peers(python: Path, data: Path) -> list[Result]:
    """Return the results of the peers that another Python has."""
    results = []
    for peer in ("chromadb", "mem0ai"):
        progress(f"{peer}: quality")
        done = subprocess.run(
            [python.absolute(), "-m", "benchmarks.quality_peers", peer, "--data", data.absolute()],
            stdout=subprocess.PIPE,
            check=True,
            cwd=ROOT,
            env=os.environ | OFFLINE | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        )
        results += [_result(told) for told in json.loads(done.stdout)]
    return results


def _result(told: dict[str, Any]) -> Result:
    return Result(**told | {"metrics": {metric: Estimate(**told["metrics"][metric]) for metric in METRICS}})


def verdicts(results: list[Result], told: dict[str, Precision]) -> list[str]:
    """Say which of the figures are reached."""
    lines = []
    for result in results:
        target = TARGETS.get((result.dataset, result.unit))
        if target is not None and result.depth == 10 and result.system == "mnemic":
            reached = result.metrics["recall"].mean
            verdict = "reached" if reached >= target else "missed"
            lines.append(f"{result.dataset} {result.unit} R@10 {reached:.3f}, should be {target:.2f}: {verdict}")
    for name, one in told.items():
        lines.append(
            f"PrecisionMemBench belief, {name}: precision {one.precision:.3f} at recall {one.recall:.3f}, "
            f"pooled {one.pooled:.3f}; {one.empty_silent:.0%} of {one.empty_cases} questions without an answer get none"
        )
        if name == "default cut":
            good = one.precision >= PRECISION_TARGET and one.recall >= PRECISION_RECALL
            wanted = f"should be {PRECISION_TARGET} at {PRECISION_RECALL}"
            lines[-1] += f"; {wanted}: {'reached' if good else 'missed'}"
    return lines


def report(data: Path, out: Path, *, peers: Path | None = None, models: Path | None = None) -> str:
    """Measure, write the JSON, and return the text to print."""
    if not data.is_dir():
        return f"no evaluation data in {data}; recall quality was not measured"
    results = measure(data, models=models)
    if peers is not None:
        results += measure_peers(peers, data)
    folder = data / "precisionmembench"
    told = measure_precision(folder) if folder.is_dir() else {}
    results.sort(key=lambda one: (one.dataset, one.unit, one.depth, -one.metrics["recall"].mean))
    written = {"results": to_json(results), "precision": {name: asdict(one) for name, one in told.items()}}
    (out / "quality.json").write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n")
    return "\n".join((table(results), *verdicts(results, told)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=ROOT / ".bench")
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="a Python that has mem0ai and chromadb")
    parser.add_argument("--models", type=Path, help="the folder of fetched models: measures the reranker too")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(report(given.data, given.out, peers=given.peers, models=given.models) + "\n")


if __name__ == "__main__":
    main()
