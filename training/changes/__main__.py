"""Train the networks that judge whether a newer sentence closes an older one: python -m training.changes

With the default options it writes the shipped file, in about 27 minutes on one core. --quick checks that training works
and writes nothing. --without leaves one source of sentences out, to measure its worth; then nothing is written either.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from benchmarks.measure import ROOT
from mnemic.upkeep.change_model.network import FILE
from training.changes import measurement, sources
from training.changes.trainer import save, trained

ROUNDS, SAMPLE, NETWORKS = 36, 22_000, 4


def main() -> None:
    """Train, and write or measure."""
    options = _arguments()
    rounds, sample, count = (1, 300, 1) if options.quick else (options.rounds, options.sample, options.networks)
    if not options.data.is_dir():
        raise SystemExit(f"There is no folder {options.data}. Give the folder of the evaluation sets with --data.")
    pairs = sources.load(options.data, without=options.without)
    kinds = max(pairs.numbers.values()) + 1
    networks = trained(partial(pairs.batch, sample), sources.vectors, kinds, rounds, count)
    if options.without or options.measure:
        for name, share in measurement.figures(networks).items():
            print(f"{name}: {share:.1f} %")
    elif not options.quick:
        save(options.out, sources.EMBEDDER.name, networks)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training.changes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the evaluation sets")
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write (default: the shipped one)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"the number of samples (default: {ROUNDS})")
    parser.add_argument("--sample", type=int, default=SAMPLE, help=f"the pairs of a sample (default: {SAMPLE:,})")
    parser.add_argument("--networks", type=int, default=NETWORKS, help=f"the number of networks (default: {NETWORKS})")
    parser.add_argument("--quick", action="store_true", help="one network and 300 pairs; writes nothing")
    parser.add_argument("--without", choices=sources.SOURCES, help="a source to leave out; measures, writes nothing")
    parser.add_argument("--measure", action="store_true", help="measure on unseen sentences, write nothing")
    return parser.parse_args()


if __name__ == "__main__":
    main()
