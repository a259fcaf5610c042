"""Many programs at work in one mind at once: nobody is locked out, nothing is lost, everyone sees everything."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from ledger import Ledger, read_log

from mnemic import Mind

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., subprocess.Popen[bytes]]

PROCESSES = 8
SECONDS = 5.0
SOAK_SECONDS = float(os.environ.get("MNEMIC_SOAK_SECONDS", "600"))


@pytest.mark.timeout(300)
def test_eight_programs_work_in_one_mind(tmp_path: Path, start: Start) -> None:
    _work_together(tmp_path, start, SECONDS)


@pytest.mark.slow
@pytest.mark.timeout(SOAK_SECONDS + 600)
def test_eight_programs_work_in_one_mind_for_ten_minutes(tmp_path: Path, start: Start) -> None:
    _work_together(tmp_path, start, SOAK_SECONDS)


def test_a_new_mind_can_be_opened_whenever_another_program_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = 0
    while _opened_beside_another(tmp_path / str(moments), moments, monkeypatch):
        moments += 1
    assert moments > 5


def _opened_beside_another(folder: Path, moment: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Open a mind that another program makes after so many statements; tell whether there were as many."""
    left = moment

    class Interrupted(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            nonlocal left
            if not self.in_transaction:
                left -= 1
                if left == -1:
                    with Mind(folder) as other:
                        other.remember("Ana lives in Lisbon", user="ana")
            return super().execute(sql, *values)

    with monkeypatch.context() as watched:
        watched.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Interrupted))
        with Mind(folder) as mind:
            found = mind.count(everywhere=True)
    assert found == (left < 0)
    return left < 0


def _work_together(tmp_path: Path, start: Start, seconds: float) -> None:
    folder, logs = tmp_path / "mind", tmp_path / "logs"
    logs.mkdir()
    users = [f"user{number}" for number in range(PROCESSES)]
    programs = [
        start("workload.py", folder, logs / f"{user}.log", seed, "--seconds", seconds, "--reads", 0.6)
        for seed, user in enumerate(users)
    ]
    for program in programs:
        _, complaint = program.communicate()
        assert program.returncode == 0, complaint.decode()
    with Mind(folder) as mind:
        ledgers = [Ledger(user, read_log(logs / f"{user}.log")[0]) for user in users]
        for ledger in ledgers:
            assert ledger.differences(mind) == []
        assert mind.count(everywhere=True) == sum(len(ledger.current()) for ledger in ledgers)
        assert all(ledger.memories for ledger in ledgers)
        assert [finding for finding in mind.doctor() if not finding.ok] == []
