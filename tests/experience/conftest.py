"""Fixtures: a tree with a fixed clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mnemic.experience import MemoryEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path / "home"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "brain"


@pytest.fixture
def engine(root: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine(root, clock=lambda: NOW) as engine:
        yield engine
