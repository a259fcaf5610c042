from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.mcp import registration

if TYPE_CHECKING:
    from tests.cli.command import Mnemic

CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode")
KEYS = {"vscode": "servers"}


@pytest.fixture(autouse=True)
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))


def config(mnemic: Mnemic, client: str, *more: str, code: int = 0) -> Any:
    return mnemic("mcp", "config", "--client", client, "--user", "ana", *more, code=code)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_entry_starts_the_server(mnemic: Mnemic, client: str, home: Path) -> None:
    entry = config(mnemic, client, "--json").object[KEYS.get(client, "mcpServers")]["mnemic"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-5:] == ["--mind", str(home / "mind"), "mcp", "--user", "ana"]


@pytest.mark.parametrize("client", CLIENTS)
def test_printing_writes_nothing(mnemic: Mnemic, client: str, tmp_path: Path) -> None:
    printed = json.loads(config(mnemic, client).out)
    assert "mnemic" in printed[KEYS.get(client, "mcpServers")]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("client", CLIENTS)
def test_writing_twice_is_the_same_as_once(mnemic: Mnemic, client: str, tmp_path: Path) -> None:
    first = config(mnemic, client, "--write", "--json").object
    written = Path(first["file"]).read_bytes()
    second = config(mnemic, client, "--write", "--json").object
    assert (first["outcome"], second["outcome"]) == ("written", "unchanged")
    assert Path(first["file"]).read_bytes() == written
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_everything_else_in_the_file_stays(mnemic: Mnemic, tmp_path: Path, indent: int | str) -> None:
    file = tmp_path / "mcp.json"
    others = {"z": 1.5, "mcpServers": {"other": {"command": "x", "env": {"É": "…"}}}, "a": [None, True, 10**20]}
    before = json.dumps(others, indent=indent, ensure_ascii=False) + "\n"
    file.write_text(before, encoding="utf-8")
    file.chmod(0o640)
    told = config(mnemic, "cursor", "--write", "--json", "--file", str(file)).object
    after = json.loads(file.read_text(encoding="utf-8"))
    entry = after["mcpServers"].pop("mnemic")
    assert entry["args"][-2:] == ["--user", "ana"]
    assert json.dumps(after, indent=indent, ensure_ascii=False) + "\n" == before
    assert file.read_text(encoding="utf-8").splitlines()[1] == before.splitlines()[1]
    assert file.stat().st_mode & 0o777 == 0o640
    assert Path(told["backup"]).read_text(encoding="utf-8") == before


def test_another_scope_replaces_the_entry_and_keeps_every_backup(mnemic: Mnemic, tmp_path: Path) -> None:
    file = tmp_path / ".vscode" / "mcp.json"
    backups = [config(mnemic, "vscode", "--agent", agent, "--write", "--json").object["backup"] for agent in "abc"]
    assert backups == [None, f"{file}.bak", f"{file}.bak1"]
    (server,) = json.loads(file.read_text())["servers"].values()
    assert server["args"][-4:] == ["--agent", "c", "--user", "ana"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n  // mine\n  "servers": {}\n}', "is not plain JSON"),
        ('{"servers": {},}', "is not plain JSON"),
        ('{"servers": {"a": 1, "a": 2}}', "an object holds the same key twice"),
        ("[]", "does not hold a JSON object"),
        ('{"servers": []}', "holds a servers that is not an object"),
        ("\ufeff{}", "is not plain JSON"),
        ("[" * 100_000, "is not plain JSON"),
    ],
)
def test_a_file_that_would_be_damaged_is_refused(mnemic: Mnemic, tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text, encoding="utf-8")
    told = config(mnemic, "vscode", "--write", "--file", str(file), code=1)
    assert problem in told.err
    assert "nothing was changed" in told.err
    assert file.read_text(encoding="utf-8") == text
    assert list(tmp_path.glob("mcp.json*")) == [file]


def test_ends_of_lines_and_halves_of_characters_stay(mnemic: Mnemic, tmp_path: Path) -> None:
    file = tmp_path / "client.json"
    file.write_bytes(b'{\r\n  "half": "\\ud83d"\r\n}\r\n')
    config(mnemic, "cursor", "--write", "--file", str(file))
    written = file.read_bytes()
    assert b'"half": "\\ud83d"' in written
    assert written.count(b"\n") == written.count(b"\r\n")
    assert {found.name for found in tmp_path.glob("*client.json*")} == {"client.json", "client.json.bak"}


def test_a_link_stays_a_link(mnemic: Mnemic, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("{}")
    (tmp_path / "link.json").symlink_to("real.json")
    config(mnemic, "cursor", "--write", "--file", str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert "mnemic" in (tmp_path / "real.json").read_text()


def test_an_unknown_client_or_scope_is_refused(mnemic: Mnemic) -> None:
    assert "client: must be one of claude-code" in config(mnemic, "emacs", code=1).err
    assert "agent: is blank" in config(mnemic, "cursor", "--agent", "", code=1).err
    assert "user: is blank" in mnemic("mcp", "--user", " ", code=1).err


@pytest.mark.parametrize(
    ("platform", "place"),
    [("darwin", "Library/Application Support"), ("win32", "AppData/Roaming"), ("linux", ".config")],
)
def test_each_system_keeps_the_desktop_file_elsewhere(platform: str, place: str) -> None:
    desktop = registration.clients(Path("/me"), platform)["claude-desktop"]
    assert desktop.file == Path("/me") / place / "Claude" / "claude_desktop_config.json"
