"""Measure the quality of recall on RealMem, BEAM and PrecisionMemBench, beside BM25, vectors alone and peers.

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
    """Yield the datasets in a folder: where one half was used for tuning, the other half."""
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
    """Return the results of every system on every dataset; with `models`, also those of the reranker in that folder."""
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
    """Return the precision on PrecisionMemBench with the default cut and without one."""
    beliefs, cases = precision.load(folder)
    with Mind(":memory:") as mind:
        names = precision.fill(mind, beliefs)
        return {
            name: precision.judge([(case, precision.ask(mind, names, case, min_score=least)) for case in cases])
            for name, least in (("default cut", None), ("no cut", 0.0))
        }


def measure_peers(python: Path, data: Path) -> list[Result]:
    """Return the results of the peers that are installed for another Python."""
    results = []
    for peer in ("chromadb", "mem0ai"):
        progress(f"{peer}: quality")
        process = subprocess.run(
            [python.absolute(), "-m", "benchmarks.quality_peers", peer, "--data", data.absolute()],
            stdout=subprocess.PIPE,
            check=True,
            cwd=ROOT,
            env=os.environ | OFFLINE | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        )
        results += [_result(data) for data in json.loads(process.stdout)]
    return results


def _result(data: dict[str, Any]) -> Result:
    return Result(**data | {"metrics": {metric: Estimate(**data["metrics"][metric]) for metric in METRICS}})


def verdicts(results: list[Result], precisions: dict[str, Precision]) -> list[str]:
    """Return a line for each figure with a target, and for each precision."""
    lines = []
    for result in results:
        target = TARGETS.get((result.dataset, result.unit))
        if target is not None and result.depth == 10 and result.system == "mnemic":
            mean = result.metrics["recall"].mean
            verdict = "reached" if mean >= target else "missed"
            lines.append(f"{result.dataset} {result.unit} R@10 {mean:.3f}, should be {target:.2f}: {verdict}")
    for name, measured in precisions.items():
        lines.append(
            f"PrecisionMemBench belief, {name}: precision {measured.precision:.3f} at recall {measured.recall:.3f}, "
            f"pooled {measured.pooled:.3f}; "
            f"{measured.empty_silent:.0%} of {measured.empty_cases} questions without an answer get none"
        )
        if name == "default cut":
            good = measured.precision >= PRECISION_TARGET and measured.recall >= PRECISION_RECALL
            wanted = f"should be {PRECISION_TARGET} at {PRECISION_RECALL}"
            lines[-1] += f"; {wanted}: {'reached' if good else 'missed'}"
    return lines


def report(data: Path, out: Path, *, peers: Path | None = None, models: Path | None = None) -> str:
    """Measure, write the JSON, and return the text to print."""
    if not data.is_dir():
        return f"There is no evaluation data in {data}, so recall quality was not measured."
    results = measure(data, models=models)
    if peers is not None:
        results += measure_peers(peers, data)
    folder = data / "precisionmembench"
    precisions = measure_precision(folder) if folder.is_dir() else {}
    results.sort(key=lambda result: (result.dataset, result.unit, result.depth, -result.metrics["recall"].mean))
    report = {"results": to_json(results), "precision": {name: asdict(value) for name, value in precisions.items()}}
    (out / "quality.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return "\n".join((table(results), *verdicts(results, precisions)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the evaluation sets")
    parser.add_argument("--out", type=Path, default=ROOT / ".bench", help="the folder to write to")
    parser.add_argument("--peers", type=Path, metavar="PYTHON", help="a Python that has mem0ai and chromadb")
    parser.add_argument("--models", type=Path, help="the folder of fetched models, to measure the reranker")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(report(options.data, options.out, peers=options.peers, models=options.models) + "\n")


if __name__ == "__main__":
    main()
