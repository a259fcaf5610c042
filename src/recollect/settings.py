"""Settings: where things live, read from the environment and one optional file."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput
from recollect.model import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "config.toml"
KEYS = frozenset({"mind", "embedder"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Hold where Recollect keeps its data, and what gives text its meaning.

    `home` is RECOLLECT_HOME, else the system's folder for application data. `mind` is RECOLLECT_MIND, else `mind` in
    home's config.toml (relative to home), else the folder `mind` in home. `embedder` is RECOLLECT_EMBEDDER, else
    `embedder` in config.toml, else `table`, the bundled one.
    """

    home: Path
    mind: Path
    embedder: str


def load(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings."""
    home = _folder(environment, "RECOLLECT_HOME") or _application_folder()
    file = _file(home / FILE)
    mind = _folder(environment, "RECOLLECT_MIND") or home / _path("mind", file.get("mind", "mind"))
    embedder = environment.get("RECOLLECT_EMBEDDER", file.get("embedder", "table"))
    return Settings(home, mind, checks.name("RECOLLECT_EMBEDDER", embedder))


def mcp_token(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the token that RECOLLECT_MCP_TOKEN gives to clients of the MCP server over HTTP."""
    given = environment.get("RECOLLECT_MCP_TOKEN")
    return None if given is None else checks.name("RECOLLECT_MCP_TOKEN", given)


def _folder(environment: Mapping[str, str], name: str) -> Path | None:
    value = environment.get(name)
    return None if value is None else _path(name, checks.name(name, value))


def _path(name: str, value: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise InvalidInput(name, f"{value} names a user whose home is not known") from None


def _application_folder() -> Path:
    from platformdirs import user_data_path  # only loaded when it is needed

    return user_data_path("recollect", appauthor=False)


def _file(path: Path) -> dict[str, str]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInput(str(path), f"is not TOML: {error}") from None
    try:
        checks.fields("the settings", given, KEYS)
        return {key: checks.name(key, value) for key, value in given.items()}
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.field}", error.problem) from None
