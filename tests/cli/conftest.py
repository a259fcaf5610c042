"""The command line as a function: arguments in, exit code and output back."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from mnemic.cli import run
from tests.cli.command import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Mnemic


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MNEMIC_MIND", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def mnemic(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mnemic:  # noqa: ARG001
    def call(*arguments: str, stdin: str = "", code: int = 0) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape"))))
        returned = run(arguments)
        printed = capsys.readouterr()
        assert returned == code, printed.err
        return Outcome(returned, printed.out, printed.err)

    return call
