"""The command line as a function: arguments in, exit code and output back."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from recollect.cli import run

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """Hold what a command returned and printed."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Return the JSON objects that were printed, one on each line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def object(self) -> dict[str, Any]:
        """Return the only JSON object that was printed."""
        (value,) = self.objects
        return value


class Recollect(Protocol):
    """Run a command; it must succeed unless another exit code is expected."""

    def __call__(self, *arguments: str, stdin: str = "", code: int = 0) -> Outcome: ...


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("RECOLLECT_MIND", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def recollect(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Recollect:  # noqa: ARG001
    def call(*arguments: str, stdin: str = "", code: int = 0) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape"))))
        returned = run(arguments)
        printed = capsys.readouterr()
        assert returned == code, printed.err
        return Outcome(returned, printed.out, printed.err)

    return call
