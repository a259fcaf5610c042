"""The parts of mem0's configuration that Mnemic uses."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mnemic import wiring
from mnemic.errors import InvalidInput
from mnemic.model import checks

if TYPE_CHECKING:
    from mnemic.mind import Mind
    from mnemic.ports import Llm

_KNOWN = frozenset({"vector_store", "llm", "embedder", "history_db_path", "reranker", "version", "custom_instructions"})
_UNUSED = {
    "embedder": "Mnemic uses its own, which MNEMIC_EMBEDDER chooses",
    "reranker": "Mnemic uses its own, which MNEMIC_RERANKER chooses",
    "custom_instructions": "Mnemic extracts with its own",
}


def open_mind_and_llm(config: object, mind: Mind | None, llm: str | Llm | None) -> tuple[Mind, Llm | None]:
    """Return the mind and the language model that mem0's configuration asks for.

    The path of its vector store is the mind's folder, its llm the language model; without them, those of the settings
    are used. Parts that are not used raise a warning.
    """
    sections = _sections(config)
    for section, why in _UNUSED.items():
        if sections.get(section) is not None:
            warnings.warn(f"{section} of mem0's configuration is not used: {why}", stacklevel=3)
    settings = wiring.load_settings() if mind is None else None
    named = _llm(sections.get("llm"))
    chosen = wiring.chosen_llm(named if llm is None else llm, settings=settings)
    path = _inner("vector_store", sections.get("vector_store")).get("path")
    if path is None and mind is None and sections.get("vector_store") is not None:
        warnings.warn(
            "vector_store of mem0's configuration is not used: it names no path, and MNEMIC_MIND chooses the folder",
            stacklevel=3,
        )
    return (wiring.open_mind(path, settings=settings) if mind is None else mind), chosen


def _sections(config: object) -> Mapping[str, Any]:
    if config is None:
        return {}
    dump = getattr(config, "model_dump", None)
    if dump is not None:
        config = dump(exclude_unset=True)
    if not isinstance(config, Mapping):
        raise InvalidInput("config", f"must be mem0's configuration, as a dict or a value, not {checks.shown(config)}")
    checks.fields("mem0's configuration", config, _KNOWN)
    return config


def _llm(section: object) -> str | None:
    if section is None:
        return None
    provider = section.get("provider", "openai") if isinstance(section, Mapping) else None
    inner = _inner("llm", section)
    model = inner.get("model")
    if model is None:
        raise InvalidInput("config.llm.config.model", "is missing; name the model")
    if inner.get("api_key") is not None:
        warnings.warn("api_key of mem0's configuration is not used: keys come from the environment", stacklevel=4)
    base_url = next((url for key, url in inner.items() if key.endswith("base_url") and url), None)
    if base_url is None:
        return f"{provider}:{model}"
    if provider == "ollama" and not str(base_url).rstrip("/").endswith("/v1"):
        base_url = f"{str(base_url).rstrip('/')}/v1"
    return f"{provider}:{model}@{base_url}"


def _inner(name: str, section: object) -> Mapping[str, Any]:
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise InvalidInput(f"config.{name}", f"must be a dict, not {checks.shown(section)}")
    inner = section.get("config") or {}
    if not isinstance(inner, Mapping):
        raise InvalidInput(f"config.{name}.config", f"must be a dict, not {checks.shown(inner)}")
    return inner
