"""How clients are told about the server: an entry in a JSON file of theirs, merged without touching the rest."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mnemic.errors import InvalidInput

Outcome = Literal["written", "unchanged"]


@dataclass(frozen=True, slots=True)
class Client:
    """Hold where a client keeps its servers: a file, and the key in it; a relative file is that of the project."""

    name: str
    key: str
    file: Path
    typed: bool = False

    def entry(self, command: list[str]) -> dict[str, Any]:
        """Return the entry that starts the server by a command."""
        typed: dict[str, Any] = {"type": "stdio"} if self.typed else {}
        return typed | {"command": command[0], "args": command[1:]}


def clients(home: Path, platform: str = sys.platform) -> dict[str, Client]:
    """Return the known clients by name."""
    desktop = {"darwin": home / "Library/Application Support", "win32": home / "AppData/Roaming"}
    known = (
        Client("claude-code", "mcpServers", Path(".mcp.json"), typed=True),
        Client(
            "claude-desktop",
            "mcpServers",
            desktop.get(platform, home / ".config") / "Claude" / "claude_desktop_config.json",
        ),
        Client("cursor", "mcpServers", home / ".cursor" / "mcp.json"),
        Client("vscode", "servers", Path(".vscode/mcp.json"), typed=True),
    )
    return {client.name: client for client in known}


def executable() -> list[str]:
    """Return the command that runs this Mnemic, whatever the client's PATH is."""
    beside = Path(sys.executable).with_name("mnemic.exe" if os.name == "nt" else "mnemic")
    found = str(beside) if beside.exists() else shutil.which("mnemic")
    return [found] if found else [sys.executable, "-c", "from mnemic.cli import main; main()"]


def merge(file: Path, key: str, name: str, entry: dict[str, Any]) -> tuple[Outcome, Path | None]:
    """Put an entry into a file, keeping everything else and a copy of the file as it was; tell where that copy is."""
    file = file.resolve()
    before = _text(file)
    told = _parsed(file, before)
    servers = told.setdefault(key, {})
    if not isinstance(servers, dict):
        raise InvalidInput(str(file), f"holds a {key} that is not an object; mend it by hand, nothing was changed")
    if servers.get(name) == entry:
        return "unchanged", None
    servers[name] = entry
    text = _written(told, before or "")
    copy = None if before is None else _copied(file)
    _replace(file, text)
    return "written", copy


def _text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(file), f"cannot be read: {error}; nothing was changed") from None


def _parsed(file: Path, text: str | None) -> dict[str, Any]:
    if text is None or not text.strip():
        return {}
    try:
        told = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            str(file),
            f"is not plain JSON ({error}); comments and trailing commas would be lost, so nothing was changed: "
            "add the printed entry by hand",
        ) from None
    if not isinstance(told, dict):
        raise InvalidInput(str(file), "does not hold a JSON object; nothing was changed")
    return told


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return told


def _written(told: dict[str, Any], before: str) -> str:
    """Return the file's new text, in the form it had: its indentation, its ends of lines."""
    text = json.dumps(told, indent=_indentation(before), ensure_ascii=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character stays the escape that it was
        text = json.dumps(told, indent=_indentation(before)) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def _indentation(text: str) -> int | str:
    """Return what the file indents with."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    if found is None:
        return 2
    return "\t" if found[1].startswith("\t") else len(found[1])


def _copied(file: Path) -> Path:
    """Copy a file beside itself under a name that is free."""
    number = 0
    while True:
        copy = file.with_name(f"{file.name}.bak{number or ''}")
        try:
            with copy.open("xb") as handle:
                handle.write(file.read_bytes())
        except FileExistsError:
            number += 1
            continue
        shutil.copystat(file, copy)
        return copy


def _replace(file: Path, text: str) -> None:
    """Write a file whole or not at all, with the permissions it had."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as handle:
            handle.write(text)
        if file.exists():
            shutil.copymode(file, name)
        Path(name).replace(file)
    except OSError as error:
        raise InvalidInput(str(file), f"cannot be written: {error.strerror}; nothing was changed") from None
