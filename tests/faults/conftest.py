"""Programs that work in a mind, places that fail, and what a sound mind is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
SMALL_DISK = 3 * 1024 * 1024


def need(problem: str) -> NoReturn:
    """Leave a test out on a machine that cannot run it, but never in continuous integration."""
    if os.environ.get("CI") == "true":
        pytest.fail(problem)
    pytest.skip(problem)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start programs of this folder, and end those that still run."""
    started: list[subprocess.Popen[bytes]] = []

    def start(program: str, *arguments: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(HERE / program), *map(str, arguments)]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


@pytest.fixture
def reading() -> Callable[[Path, int], AbstractContextManager[None]]:
    """Let programs read a mind all the while, and check that they met no error."""
    command = [sys.executable, str(HERE / "reader.py")]

    @contextmanager
    def reading(folder: Path, programs: int) -> Iterator[None]:
        with ExitStack() as stack:
            readers = [
                stack.enter_context(subprocess.Popen([*command, str(folder)], stdin=PIPE, stdout=PIPE, stderr=PIPE))
                for _ in range(programs)
            ]
            for reader in readers:
                assert reader.stdout is not None
                assert reader.stdout.readline() == b"round\n"
            yield
            for reader in readers:
                _, complaint = reader.communicate(b"")
                assert reader.returncode == 0, complaint.decode()

    return reading


@pytest.fixture(scope="session")
def strace() -> str:
    """Return where strace is."""
    found = shutil.which("strace")
    if found is None:
        need("strace is missing; install it with `apt-get install strace`")
    return found


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return an empty disk of three megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        need(f"a small disk cannot be mounted ({mounted.stderr.decode().strip()}); run as root, or in `unshare -Urm`")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)
