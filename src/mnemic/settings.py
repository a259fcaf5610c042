"""Settings: everything that the environment and one optional file decide, read in one place."""

from __future__ import annotations

import math
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "config.toml"
FIELDS = frozenset({"mind", "embedder", "reranker", "llm", "llm_timeout", "llm_budget"})
LLM_KEY = "MNEMIC_LLM_KEY"
EMBEDDER_KEY = "MNEMIC_EMBEDDER_KEY"
_PROVIDER_KEY = "_API_KEY"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where Mnemic stores its data, which models it uses, and the keys for them.

    `home` is MNEMIC_HOME, else the system's folder for application data. `mind` is the location of the mind:
    MNEMIC_MIND, else `mind` in home's config.toml (relative to home), else the folder `mind` in home. `embedder`,
    `reranker`, `llm`, `llm_timeout` (seconds for a request) and `llm_budget` (tokens) are MNEMIC_EMBEDDER and so on,
    else the fields of that name in config.toml. Keys and the MCP token come from the environment only.
    """

    home: Path
    mind: str
    embedder: str = "table"
    reranker: str | None = None
    llm: str | None = None
    llm_timeout: float = 60.0
    llm_budget: int | None = None
    mcp_token: str | None = field(default=None, repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """API keys by the name of their environment variable."""

    @property
    def models(self) -> Path:
        """Return the folder of the fetched models."""
        return self.home / "models"

    @property
    def experience(self) -> Path:
        """Return the folder of the experience tree that belongs to no one."""
        return self.home / "experience"

    @property
    def mcp_token_file(self) -> Path:
        """Return the file of the MCP server's token, for when the environment has none."""
        return self.home / "mcp-token"

    def key(self, *names: str) -> str | None:
        """Return the first key that is set, by the names of the environment variables."""
        for name in names:
            key = self.keys.get(name)
            if key and not (key.isascii() and key.isprintable()):
                raise InvalidInput(name, "contains characters that a key cannot contain")
            if key:
                return key
        return None


def load(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings."""
    home = _folder(environment, "MNEMIC_HOME") or _application_folder()
    file = _file(home / FILE)

    def value(name: str) -> str | None:
        variable = f"MNEMIC_{name.upper()}"
        text = environment.get(variable, file.get(name))
        return None if text is None else checks.name(variable, text)

    return Settings(
        home,
        mind=_location(environment, home, file),
        embedder=value("embedder") or "table",
        reranker=value("reranker"),
        llm=value("llm"),
        llm_timeout=_seconds("MNEMIC_LLM_TIMEOUT", value("llm_timeout") or "60"),
        llm_budget=_tokens("MNEMIC_LLM_BUDGET", value("llm_budget")),
        mcp_token=value("mcp_token"),
        keys={
            name: key.strip()
            for name, key in environment.items()
            if name in (LLM_KEY, EMBEDDER_KEY) or name.endswith(_PROVIDER_KEY)
        },
    )


def provider_key(provider: str) -> str:
    """Return the environment variable that holds a provider's own key, such as OPENAI_API_KEY."""
    return provider.upper().replace("-", "_") + _PROVIDER_KEY


def _location(environment: Mapping[str, str], home: Path, file: Mapping[str, str]) -> str:
    """Return where the mind is: a folder, or anything with a scheme as it is written."""
    variable = environment.get("MNEMIC_MIND")
    text = file.get("mind", "mind") if variable is None else checks.name("MNEMIC_MIND", variable)
    if "://" in text:
        return text
    path = _path("mind" if variable is None else "MNEMIC_MIND", text)
    return str(home / path if variable is None else path)


def _seconds(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise InvalidInput(name, f"must be a number above 0, not {value!r}")
    return number


def _tokens(name: str, value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or not int(value):
        raise InvalidInput(name, f"must be a whole number of tokens above 0, not {value!r}")
    return int(value)


def _folder(environment: Mapping[str, str], name: str) -> Path | None:
    value = environment.get(name)
    return None if value is None else _path(name, checks.name(name, value))


def _path(name: str, value: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise InvalidInput(name, f"{value} names a user whose home folder is unknown") from None


def _application_folder() -> Path:
    from platformdirs import user_data_path  # only loaded when it is needed

    return user_data_path("mnemic", appauthor=False)


def _file(path: Path) -> dict[str, str]:
    """Return the fields of the settings file as the environment would write them."""
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInput(str(path), f"is not TOML: {error}") from None
    try:
        checks.fields("the settings", fields, FIELDS)
        return {name: checks.name(name, _text(name, value)) for name, value in fields.items()}
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.field}", error.problem) from None


def _text(name: str, value: object) -> object:
    number = name.startswith("llm_") and isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if number else value
