"""Experience trees under fire: killed writers, many at once, and a full disk."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from disk_trace import STRACE_OPTIONS, Disk, completed_calls

from mnemic.errors import StoreFull
from mnemic.experience import MemoryEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).parent / "experiencer.py"


def start(root: Path, name: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), str(root), name, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def acknowledged(process: subprocess.Popen[str], already: str = "") -> dict[str, Path]:
    """Read what a program was told is kept: its number and its file."""
    printed, _ = process.communicate()
    lines = (already + printed).split("\n")[:-1]
    return {number: Path(path) for number, _, path in (line.partition(" ") for line in lines)}


@pytest.mark.parametrize("seed", range(6))
def test_whatever_was_returned_before_a_loss_of_power_is_there_whole_and_found(
    tmp_path: Path, traced: Path, seed: int
) -> None:
    rng = random.Random(seed)
    calls = list(completed_calls(traced / "trace"))
    printed = [call.name == "write" and call.file == str(traced / "printed") for call in calls]
    at = printed.index(True) if seed == 0 else rng.randrange(printed.index(True), len(calls))
    disk = Disk(traced / "disk")
    for call in calls[: at + 1]:
        disk.follow(call)
    disk.write_out(tmp_path / "disk", also=lambda: seed > 0 and rng.random() < 0.5)
    lines = (traced / "printed").read_text().splitlines()[: sum(printed[: at + 1])]
    with MemoryEngine(tmp_path / "disk" / "new" / "tree") as engine:
        for number, _, path in (line.partition(" ") for line in lines):
            told = engine.read(Path(path).relative_to(traced / "disk" / "new" / "tree"))
            assert told.content.startswith(f"tokenwx{number} ")
            assert told in [one.experience for one in engine.recall(f"tokenwx{number}")]
        assert engine.count() >= len(lines)
        assert all(finding.ok for finding in engine.verify())


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory, strace: str) -> Path:
    """Return a folder with the system calls and the output of a program that made a tree on a disk."""
    base = tmp_path_factory.mktemp("traced")
    (base / "disk").mkdir()
    program = [sys.executable, str(PROGRAM), str(base / "disk" / "new" / "tree"), "w", "130"]
    with (base / "printed").open("w") as printed:
        subprocess.run([strace, *STRACE_OPTIONS, "-o", str(base / "trace"), *program], stdout=printed, check=True)
    return base


@pytest.mark.parametrize("many", [(), ("--many",)])
def test_whatever_was_returned_before_a_kill_is_there_whole_and_found(tmp_path: Path, many: tuple[str, ...]) -> None:
    rng = random.Random(7)
    told: dict[str, Path] = {}
    for trial in range(8):
        process = start(tmp_path / "tree", f"t{trial}", *many)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(rng.uniform(0.0, 1.0))
        process.kill()
        told |= {f"t{trial}x{number}": path for number, path in acknowledged(process, first).items()}
    assert len(told) > 20
    with MemoryEngine(tmp_path / "tree") as engine:
        assert engine.opening.problems == []
        for token, path in told.items():
            assert engine.read(path).content.startswith(f"token{token} was remembered")
        for token in rng.sample(sorted(told), 20):
            assert f"token{token} " in engine.recall(f"token{token}")[0].experience.content
        assert engine.count() == len(list((tmp_path / "tree").rglob("*.md"))) >= len(told)
        assert all(finding.ok for finding in engine.verify())


def test_eight_programs_write_two_thousand_of_the_same_name_and_lose_none(tmp_path: Path) -> None:
    writers = [start(tmp_path / "tree", f"w{n}", "250", *(["--many"] if n % 2 else [])) for n in range(8)]
    paths = [path for writer in writers for path in acknowledged(writer).values()]
    assert [writer.wait() for writer in writers] == [0] * 8
    assert len(set(paths)) == 2_000
    with MemoryEngine(tmp_path / "tree") as engine:
        assert engine.count() == 2_000
        assert {one.experience.path for one in engine.recall(outcome="failure", limit=5_000)} == {
            path.relative_to(tmp_path / "tree").as_posix() for path in paths
        }
        assert all(finding.ok for finding in engine.verify())


def long_ones(engine: MemoryEngine) -> Iterator[dict[str, str]]:
    """Yield experiences that fill a small disk soon."""
    assert engine.count() == 1
    for number in range(400):
        yield {"content": f"{number} " + "word " * 2_000, "outcome": "success", "tool": "conversation"}


def fill_one_by_one(engine: MemoryEngine, stored: set[Path]) -> None:
    for told in long_ones(engine):
        stored.add(engine.remember(**told))


def fill_in_one_go(engine: MemoryEngine, stored: set[Path]) -> None:
    stored.update(engine.remember_many(long_ones(engine)))


@pytest.mark.parametrize("fill", [fill_one_by_one, fill_in_one_go])
def test_a_full_disk_is_an_error_and_leaves_the_tree_as_it_was(
    small_disk: Path, fill: Callable[[MemoryEngine, set[Path]], None]
) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 500_000)
    with MemoryEngine(small_disk / "tree") as engine:
        kept = engine.remember("Kept before the disk was full", "success", "conversation")
        stored = {kept}
        with pytest.raises(StoreFull):
            fill(engine, stored)
        assert set((small_disk / "tree" / "success").rglob("*.md")) == stored
        assert engine.recall("before the disk was full")[0].experience == engine.read(kept)
        assert engine.count() >= 1
        if len(stored) > 1:
            assert engine.forget(max(stored - {kept})) == 1
            stored.remove(max(stored - {kept}))
        assert list((small_disk / "tree" / ".mnemic" / "waiting").iterdir()) == []
    ballast.unlink()
    with MemoryEngine(small_disk / "tree") as engine:
        assert engine.count() == len(stored)
        assert engine.recall("before the disk was full")[0].experience == engine.read(kept)
        engine.remember("There is room again", "success", "conversation")
        assert all(finding.ok for finding in engine.verify())


AS_NOBODY = """
import os, sys
from mnemic.experience import MemoryEngine
root = sys.argv[1]
with MemoryEngine(root + "-warm") as loads_everything:
    loads_everything.remember("x", "success", "conversation")
    loads_everything.recall("x")
    loads_everything.verify()
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with MemoryEngine(root) as engine:
    closed = engine.remember("Behind a closed door", "success", "conversation")
    hidden = engine.remember("In a hidden file", "failure", "file_operation")
    engine.remember("Open to all", "failure", "unknown")
    assert engine.count() == 3
    closed.parent.chmod(0)
    hidden.chmod(0)
    print([one.experience.content for one in engine.recall("open to all")])
    print(engine.count(), engine.sync().problems)
    print([finding.problem for finding in engine.verify() if not finding.ok])
    closed.parent.chmod(0o755)
    hidden.chmod(0o644)
    print(engine.count(), engine.sync().problems, all(finding.ok for finding in engine.verify()))
"""


def test_a_folder_or_file_that_cannot_be_read_is_reported_and_the_rest_goes_on() -> None:
    with TemporaryDirectory() as public:
        Path(public).chmod(0o777)
        command = [sys.executable, "-c", AS_NOBODY, f"{public}/tree"]
        done = subprocess.run(command, env={**os.environ, "HOME": public}, capture_output=True, text=True, check=True)
    found, closed, verified, mended = done.stdout.splitlines()
    assert found == "['Open to all']"
    assert closed == "3 [('success/conversation', 'cannot be read: Permission denied; check its permissions')]"
    assert "Permission denied" in verified
    assert "failure/file_operation/" in verified
    assert mended == "3 [] True"
