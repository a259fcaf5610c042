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

from mnemic import Mind
from mnemic.stores.sqlite import restore

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
        """Let the random workload do its work."""
        workload = Path(__file__).with_name("workload.py")
        return self.run_program(strace, workload, self.base / "disk" / self.folder, self.log, 7, *options)

    def run_program(self, strace: str, *program: object) -> Traced:
        """Let a program work."""
        (self.base / "disk").mkdir()
        command = [strace, *STRACE_OPTIONS, "-o", self.base / "trace", sys.executable, *program]
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
        return [place for place, call in enumerate(self.calls) if call.file == database]

    def unsynced_acknowledgements(self) -> list[int]:
        """Return the acknowledgements that no sync of the log's last write came before, counted from 1."""
        log = str(self.base / "disk" / self.folder / "mind.db-wal")
        unsynced: list[int] = []
        acknowledged, synced = 0, False
        for call in self.calls:
            if call.file == log:
                synced = call.name in ("fsync", "fdatasync")
            elif self.is_acknowledgement(call):
                acknowledged += 1
                unsynced += [] if synced else [acknowledged]
                synced = False
        return unsynced

    def cut_power(self, at: int, copy: Path, also: Callable[[], bool] = lambda: False) -> None:
        """Write out what is left after a call: the synced bytes, and some unsynced ones if `also` says so."""
        disk = Disk(self.base / "disk")
        for call in self.calls[: at + 1]:
            disk.follow(call)
        disk.write_out(copy, also=also)

    def lost(self, at: int, copy: Path, also: Callable[[], bool] = lambda: False) -> list[str]:
        """Cut the power after a call, and tell what is wrong in the mind that is left."""
        self.cut_power(at, copy, also)
        acknowledged = sum(map(self.is_acknowledgement, self.calls[: at + 1]))
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


KEEP = """
import sys
from pathlib import Path
from mnemic import Mind
from mnemic.stores.sqlite import restore
disk, log, backup, doing = [*map(Path, sys.argv[1:4]), sys.argv[4]]
if doing == "restore over a damaged store":
    Mind(disk / "mind").close()
    (disk / "mind" / "mind.db").write_bytes(b"garbage" * 1000)
elif doing != "restore":
    with Mind(disk / "mind") as mind:
        mind.remember_many({"text": f"note {number}"} for number in range(300))
with log.open("ab", buffering=0) as lines:
    if doing == "back up":
        Mind(disk / "mind").backup(disk / "backup.db")
    else:
        restore(backup, disk / "mind", replace=True)
    lines.write(b"done\\n")
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder with a mind of 200 memories and its backup."""
    with Mind(tmp_path / "source") as mind:
        mind.remember_many({"text": f"memory {number}"} for number in range(200))
        mind.backup(tmp_path / "backup.db")
    return tmp_path


@pytest.mark.parametrize("doing", ["restore", "restore over a store", "restore over a damaged store"])
@pytest.mark.parametrize("file", ["backup.db", "source/mind.db"])
def test_what_was_restored_survives(strace: str, tmp_path: Path, source: Path, file: str, doing: str) -> None:
    traced = Traced(tmp_path, "mind")
    traced.run_program(strace, "-c", KEEP, tmp_path / "disk", traced.log, source / file, doing)
    traced.cut_power(traced.acknowledgements()[0], tmp_path / "copy")
    with Mind(tmp_path / "copy" / "mind") as mind:
        assert mind.count() == 200
        assert all(finding.ok for finding in mind.doctor())


def test_a_backup_survives(strace: str, tmp_path: Path) -> None:
    traced = Traced(tmp_path, "mind")
    traced.run_program(strace, "-c", KEEP, tmp_path / "disk", traced.log, "no backup", "back up")
    traced.cut_power(traced.acknowledgements()[0], tmp_path / "copy")
    restore(tmp_path / "copy" / "backup.db", tmp_path / "restored")
    with Mind(tmp_path / "restored") as mind:
        assert mind.count() == 300
