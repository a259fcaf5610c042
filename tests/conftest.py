"""What every test may use: a mind in a folder, and a clock that is set by hand."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from mnemic import Mind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("dev" if os.environ.get("HYPOTHESIS_PROFILE") == "dev" else "ci")


class Clock:
    """Tell a time that only moves when it is told to."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> datetime:
        """Move on by a span, given as for `timedelta`, and return the new time."""
        self.now += timedelta(**span)
        return self.now


@pytest.fixture(autouse=True, scope="session")
def mem0_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what mem0 writes when it is imported out of the home folder."""
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
