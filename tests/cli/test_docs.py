"""docs/cli.md"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from typer.main import get_command

from mnemic.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_the_reference_is_up_to_date() -> None:
    write = runpy.run_path(str(ROOT / "tools" / "cli_reference.py"))["page"]
    assert write(PAGE) == PAGE, "run: python tools/cli_reference.py"


@pytest.mark.parametrize("command", sorted(get_command(app).commands))  # type: ignore[attr-defined]
def test_every_command_is_documented(command: str) -> None:
    assert f"\n## mnemic {command}\n" in PAGE
