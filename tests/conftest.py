"""What every test may use: a mind in a folder, and a clock that is set by hand; and the seeds of property tests."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from mnemic import Mind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile("quick", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("slow", deadline=None, max_examples=100, print_blob=True)
SEED_OPTION = "--hypothesis-seed"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Use the same examples in every quick run, and a fresh seed in every slow run or the given one."""
    is_slow = "hypothesis" in config.option.markexpr or config.getoption(SEED_OPTION) is not None
    settings.load_profile("slow" if is_slow else "quick")
    if is_slow and config.getoption(SEED_OPTION) is None:
        config.option.hypothesis_seed = secrets.randbelow(2**32)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Print the seed, so that a failure can be repeated."""
    seed = session.config.getoption(SEED_OPTION)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if seed is not None and reporter is not None:
        reporter.write_line(f"property tests use {SEED_OPTION}={seed}")


class Clock:
    """A clock that only moves when a test advances it."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> datetime:
        """Move the clock by a span, with the arguments of `timedelta`, and return the new time."""
        self.now += timedelta(**span)
        return self.now


@pytest.fixture(autouse=True, scope="session")
def mem0_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the files that mem0 writes at import out of the home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEM0_DIR", str(tmp_path_factory.mktemp("mem0")))
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 5, 1, 12, tzinfo=UTC))


@pytest.fixture
def mind(tmp_path: Path, clock: Clock) -> Iterator[Mind]:
    with Mind(tmp_path / "mind", clock=clock) as mind:
        yield mind
