from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

from mnemic import settings
from mnemic.errors import InvalidInput
from mnemic.mcp.token import checked_token, token_in

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_start_makes_a_token_that_only_its_owner_can_read(tmp_path: Path) -> None:
    file = tmp_path / "home" / "mcp-token"
    token = token_in(file)
    assert len(token) > 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert token_in(file) == token
    assert token_in(tmp_path / "other") != token


def test_programs_that_start_at_once_have_one_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, make, others = tmp_path / "token", secrets.token_urlsafe, []

    def make_while_another_starts(size: int) -> str:
        monkeypatch.setattr(secrets, "token_urlsafe", make)
        others.append(token_in(file))
        return make(size)

    monkeypatch.setattr(secrets, "token_urlsafe", make_while_another_starts)
    assert [token_in(file)] == others
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_token_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    token_in(tmp_path / "token")
    (tmp_path / "token").chmod(mode)
    with pytest.raises(InvalidInput, match="can be read by others; run `chmod 600`"):
        token_in(tmp_path / "token")


@pytest.mark.parametrize("text", ["", "short", "with a blank in between", "ümlaut-ümlaut-ümlaut"])
def test_a_token_that_could_be_guessed_or_not_be_sent_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text)
    (tmp_path / "token").chmod(0o600)
    with pytest.raises(InvalidInput, match="at least 16 printable ASCII"):
        token_in(tmp_path / "token")
    with pytest.raises(InvalidInput, match="MNEMIC_MCP_TOKEN: must be at least 16"):
        checked_token(text, where="MNEMIC_MCP_TOKEN")


def test_the_environment_may_give_the_token() -> None:
    value = "from-the-environment"
    assert settings.load({"MNEMIC_MCP_TOKEN": value}).mcp_token == value
    assert settings.load({}).mcp_token is None
    with pytest.raises(InvalidInput, match="MNEMIC_MCP_TOKEN: is blank"):
        settings.load({"MNEMIC_MCP_TOKEN": ""})
