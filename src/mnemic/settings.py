"""Settings: where things live, read from the environment and one optional file."""

from __future__ import annotations

import math
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "config.toml"
KEYS = frozenset({"mind", "embedder", "reranker", "llm", "llm_timeout", "llm_budget"})
LLM_KEY = "MNEMIC_LLM_KEY"
"""The environment variable that holds the language model's key unless the provider's own does."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Hold where Mnemic keeps its data, what gives text its meaning, and the language model, if any.

    `home` is MNEMIC_HOME, else the system's folder for application data. `mind` is MNEMIC_MIND, else `mind` in
    home's config.toml (relative to home), else the folder `mind` in home. `embedder` is MNEMIC_EMBEDDER, else
    `embedder` in config.toml, else `table`, the bundled one. `reranker` is MNEMIC_RERANKER, else `reranker` in
    config.toml, else none. `llm` is MNEMIC_LLM, else `llm` in config.toml, else none; MNEMIC_LLM_TIMEOUT (seconds
    for a request) and MNEMIC_LLM_BUDGET (tokens), or `llm_timeout` and `llm_budget` in config.toml, bound it.
    """

    home: Path
    mind: Path
    embedder: str
    reranker: str | None = None
    llm: str | None = None
    llm_timeout: float = 60.0
    llm_budget: int | None = None


def load(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings."""
    home = _folder(environment, "MNEMIC_HOME") or _application_folder()
    file = _file(home / FILE)
    mind = _folder(environment, "MNEMIC_MIND") or home / _path("mind", file.get("mind", "mind"))
    embedder = environment.get("MNEMIC_EMBEDDER", file.get("embedder", "table"))
    reranker = environment.get("MNEMIC_RERANKER", file.get("reranker"))
    llm = environment.get("MNEMIC_LLM", file.get("llm"))
    timeout = environment.get("MNEMIC_LLM_TIMEOUT", file.get("llm_timeout", "60"))
    return Settings(
        home,
        mind,
        embedder=checks.name("MNEMIC_EMBEDDER", embedder),
        reranker=None if reranker is None else checks.name("MNEMIC_RERANKER", reranker),
        llm=None if llm is None else checks.name("MNEMIC_LLM", llm),
        llm_timeout=_number("MNEMIC_LLM_TIMEOUT", timeout),
        llm_budget=_tokens(environment.get("MNEMIC_LLM_BUDGET", file.get("llm_budget"))),
    )


def llm_key(provider: str, *, elsewhere: bool, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the key of a provider from the environment: MNEMIC_LLM_KEY, else its own, such as OPENAI_API_KEY.

    A provider's own key is only given to the provider itself, never to a model that runs `elsewhere`.
    """
    names = [LLM_KEY] if elsewhere else [LLM_KEY, f"{provider.upper().replace('-', '_')}_API_KEY"]
    for name in names:
        key = environment.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise InvalidInput(name, "holds characters that no key can hold")
        if key:
            return key
    return None


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise InvalidInput(name, f"must be a number above 0, not {value!r}")
    return number


def _tokens(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or not int(value):
        raise InvalidInput("MNEMIC_LLM_BUDGET", f"must be a whole number of tokens above 0, not {value!r}")
    return int(value)


def mcp_token(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the token that MNEMIC_MCP_TOKEN gives to clients of the MCP server over HTTP."""
    given = environment.get("MNEMIC_MCP_TOKEN")
    return None if given is None else checks.name("MNEMIC_MCP_TOKEN", given)


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

    return user_data_path("mnemic", appauthor=False)


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
        return {key: checks.name(key, _written(key, value)) for key, value in given.items()}
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.field}", error.problem) from None


def _written(key: str, value: object) -> object:
    """Return a number of the file as the environment would write it."""
    number = key.startswith("llm_") and isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if number else value
