"""Many threads at work in one mind at once, sharing one Mind or with several of the same folder."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from ledger import Ledger, read_log
from workload import work

from mnemic import Mind

if TYPE_CHECKING:
    from pathlib import Path

THREADS = 16
SECONDS = 2.0
SOAK_SECONDS = min(30.0, float(os.environ.get("MNEMIC_SOAK_SECONDS", "30")))


@pytest.mark.parametrize("minds", [1, 4])
def test_sixteen_threads_work_in_one_mind(tmp_path: Path, minds: int) -> None:
    _work_together(tmp_path, minds, SECONDS)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("minds", [1, 4])
def test_sixteen_threads_work_in_one_mind_for_long(tmp_path: Path, minds: int) -> None:
    _work_together(tmp_path, minds, SOAK_SECONDS)


def _work_together(tmp_path: Path, minds: int, seconds: float) -> None:
    logs = [tmp_path / f"user{number}.log" for number in range(THREADS)]
    opened = [Mind(tmp_path / "mind") for _ in range(minds)]
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(THREADS) as pool:
        running = [
            pool.submit(work, opened[seed % minds], log, seed, go_on=lambda _: time.monotonic() < end, reads=0.6)
            for seed, log in enumerate(logs)
        ]
        for thread in running:
            thread.result()
    ledgers = [Ledger(log.stem, read_log(log)[0]) for log in logs]
    for ledger in ledgers:
        assert ledger.differences(opened[0]) == []
        assert ledger.memories
    assert opened[-1].count(everywhere=True) == sum(len(ledger.current()) for ledger in ledgers)
    assert [finding for finding in opened[0].doctor() if not finding.ok] == []
    for mind in opened:
        mind.close()
