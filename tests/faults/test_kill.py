"""Programs that are killed in the middle of their work lose nothing they were told is kept."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from ledger import differences_after, read_log

from mnemic import Mind

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

KILLS = 100
AT_ONCE = 4
ALL_AT_ONCE_EVERY = 10


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_hundred_kills_lose_no_acknowledged_change(
    tmp_path: Path, start: Callable[..., subprocess.Popen[bytes]]
) -> None:
    rng = random.Random(2)
    folder, logs = tmp_path / "mind", tmp_path / "logs"
    logs.mkdir()
    running: dict[Path, subprocess.Popen[bytes]] = {}
    dead: list[Path] = []

    def kill(log: Path) -> None:
        process = running.pop(log)
        process.kill()
        assert process.wait() == -9, process.stderr and process.stderr.read().decode()
        dead.append(log)

    seed = 0
    while len(dead) < KILLS:
        while len(running) < AT_ONCE:
            seed += 1
            log = logs / f"user{seed}.log"
            running[log] = start("workload.py", folder, log, seed)
        chosen = rng.choice(list(running))
        _wait_for_work(chosen, running[chosen])
        time.sleep(rng.uniform(0, 0.3))
        kill(chosen)
        if len(dead) % ALL_AT_ONCE_EVERY == 0:
            for log in list(running):
                kill(log)
            _check(folder, dead[-ALL_AT_ONCE_EVERY - AT_ONCE :])
    for log in list(running):
        kill(log)
    _check(folder, dead)


def _wait_for_work(log: Path, process: subprocess.Popen[bytes]) -> None:
    while not log.exists() or b"done" not in log.read_bytes()[:65536]:
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        time.sleep(0.01)


def _check(folder: Path, logs: list[Path]) -> None:
    with Mind(folder) as mind:
        for log in logs:
            assert not log.exists() or differences_after(mind, log.stem, *read_log(log)) == []
        assert [finding for finding in mind.doctor() if not finding.ok] == []
