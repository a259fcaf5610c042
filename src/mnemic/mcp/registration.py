"""Registration: the entry for this server in a client's JSON file, merged without touching the rest."""

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
    """A client, the file in which it lists its servers, and the key in it; a relative file belongs to the project."""

    name: str
    key: str
    file: Path
    typed: bool = False

    def entry(self, command: list[str]) -> dict[str, Any]:
        """Return the entry that starts the server with a command."""
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
    """Return the command that runs this Mnemic, independent of the client's PATH."""
    beside = Path(sys.executable).with_name("mnemic.exe" if os.name == "nt" else "mnemic")
    program = str(beside) if beside.exists() else shutil.which("mnemic")
    return [program] if program else [sys.executable, "-c", "from mnemic.cli import main; main()"]


def merge(file: Path, key: str, name: str, entry: dict[str, Any]) -> tuple[Outcome, Path | None]:
    """Put an entry into a file, keeping everything else; return the path of a backup if the file changed."""
    file = file.resolve()
    before = _text(file)
    settings = _parsed(file, before)
    servers = settings.setdefault(key, {})
    if not isinstance(servers, dict):
        raise InvalidInput(str(file), f"holds a {key} that is not an object; correct it by hand, nothing was changed")
    if servers.get(name) == entry:
        return "unchanged", None
    servers[name] = entry
    text = _written(settings, before or "")
    backup = None if before is None else _backed_up(file)
    _replace(file, text)
    return "written", backup


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
        settings = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            str(file),
            f"is not plain JSON ({error}); comments and trailing commas would be lost, so nothing was changed: "
            "add the printed entry by hand",
        ) from None
    if not isinstance(settings, dict):
        raise InvalidInput(str(file), "does not hold a JSON object; nothing was changed")
    return settings


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("an object holds the same key twice")
    return unique


def _written(settings: dict[str, Any], before: str) -> str:
    """Return the file's new text, with the indentation and line ends it had."""
    text = json.dumps(settings, indent=_indentation(before), ensure_ascii=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate stays the escape that it was
        text = json.dumps(settings, indent=_indentation(before)) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def _indentation(text: str) -> int | str:
    """Return the indentation of a file."""
    indent = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    if indent is None:
        return 2
    return "\t" if indent[1].startswith("\t") else len(indent[1])


def _backed_up(file: Path) -> Path:
    """Copy a file beside itself under a free name."""
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
    """Write a file completely or not at all, with the permissions it had."""
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
