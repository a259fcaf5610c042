"""What was acknowledged is on the disk: synced before the answer, and whole in a copy of the synced bytes alone."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from disk_trace import STRACE_OPTIONS, Call, Disk, completed_calls
from ledger import differences_after, read_log

from recollect import Mind

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STEPS = 300


@dataclass
class Traced:
    """Hold the traces of a program that worked in a new mind: its system calls and its log."""

    base: Path
    folder: str

    @property
    def log(self) -> Path:
        return self.base / "ana.log"

    def run(self, strace: str, *options: object) -> Traced:
        """Let the program work."""
        (self.base / "disk").mkdir()
        work = [
            sys.executable,
            Path(__file__).with_name("workload.py"),
            self.base / "disk" / self.folder,
            self.log,
            7,
            *options,
        ]
        command = [strace, *STRACE_OPTIONS, "-o", self.base / "trace", *work]
        subprocess.run([str(part) for part in command], check=True)
        return self

    @cached_property
    def calls(self) -> list[Call]:
        return list(completed_calls(self.base / "trace"))

    def is_acknowledgement(self, call: Call) -> bool:
        return call.name == "write" and call.arguments[:2] == [str(self.log), b"done\n"]

    def acknowledgements(self) -> list[int]:
        """Return the places of the acknowledgements among the calls."""
        return [place for place, call in enumerate(self.calls) if self.is_acknowledgement(call)]

    def checkpoints(self) -> list[int]:
        """Return the places of the calls that wrote the database itself."""
        database = str(self.base / "disk" / self.folder / "mind.db")
        return [place for place, call in enumerate(self.calls) if call.arguments[0] == database]

    def unsynced_acknowledgements(self) -> list[int]:
        """Return the acknowledgements that no sync of the log's last write came before, counted from 1."""
        log = str(self.base / "disk" / self.folder / "mind.db-wal")
        unsynced: list[int] = []
        acknowledged, synced = 0, False
        for call in self.calls:
            if call.arguments[0] == log:
                synced = call.name in ("fsync", "fdatasync")
            elif self.is_acknowledgement(call):
                acknowledged += 1
                unsynced += [] if synced else [acknowledged]
                synced = False
        return unsynced

    def lost(self, at: int, copy: Path, also: Callable[[], bool] = lambda: False) -> list[str]:
        """Cut the power after a call, and tell what is wrong in the mind that is left.

        It is made of the synced bytes, and of some unsynced ones if `also` says so.
        """
        disk = Disk(self.base / "disk")
        calls = self.calls[: at + 1]
        for call in calls:
            disk.follow(call)
        disk.write_out(copy, also=also)
        acknowledged = sum(map(self.is_acknowledgement, calls))
        steps = read_log(self.log)[0][: acknowledged + 1]
        with Mind(copy / self.folder) as mind:
            unwell = [str(finding) for finding in mind.doctor() if not finding.ok]
            pending = steps[acknowledged] if acknowledged < len(steps) else None
            return unwell + differences_after(mind, "ana", steps[:acknowledged], pending)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory, strace: str) -> Traced:
    """Return the traces of a program that added, revised, superseded, linked and forgot."""
    return Traced(tmp_path_factory.mktemp("honest"), "mind").run(strace, "--steps", STEPS)


@pytest.fixture(scope="module")
def careless(tmp_path_factory: pytest.TempPathFactory, strace: str) -> Traced:
    """Return the traces of the same program with syncing switched off."""
    return Traced(tmp_path_factory.mktemp("careless"), "mind").run(strace, "--steps", STEPS, "--careless")


def test_every_change_is_synced_before_it_is_acknowledged(honest: Traced) -> None:
    assert honest.unsynced_acknowledgements() == []


@pytest.mark.parametrize("place", [0, 1, STEPS // 2, STEPS - 1])
def test_the_synced_bytes_alone_hold_every_acknowledged_change(honest: Traced, place: int, tmp_path: Path) -> None:
    assert honest.lost(honest.acknowledgements()[place], tmp_path / "copy") == []


@pytest.mark.parametrize("seed", range(6))
def test_unsynced_bytes_that_survive_by_chance_do_no_harm(honest: Traced, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    anywhere = rng.randrange(honest.acknowledgements()[0], honest.acknowledgements()[-1])
    amid_a_checkpoint = rng.choice(honest.checkpoints())
    for at in (anywhere, amid_a_checkpoint):
        assert honest.lost(at, tmp_path / f"copy{at}", also=lambda: rng.random() < 0.5) == []


def test_the_first_memory_in_a_folder_of_new_folders_survives(strace: str, tmp_path: Path) -> None:
    traced = Traced(tmp_path, "deep/down/mind").run(strace, "--steps", 1)
    assert traced.lost(traced.acknowledgements()[0], tmp_path / "copy") == []


def test_a_store_that_does_not_sync_is_noticed(careless: Traced, tmp_path: Path) -> None:
    assert careless.unsynced_acknowledgements() == list(range(1, STEPS + 1))
    assert careless.lost(careless.acknowledgements()[-1], tmp_path / "copy") != []
