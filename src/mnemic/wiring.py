"""Wiring: the one place that picks what a mind is made of, by the settings.

Every function takes the settings of the program; whoever has none leaves them out, and they are loaded.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING

from mnemic import settings as settings_file
from mnemic.core.reindex import fill
from mnemic.errors import InvalidInput, ModelMissing, NotFound
from mnemic.mind import Mind
from mnemic.model import checks
from mnemic.model.embedding import EmbeddingModel
from mnemic.ports import silent
from mnemic.rerankers.lazy import LazyReranker
from mnemic.settings import EMBEDDER_KEY, LLM_KEY, provider_key
from mnemic.settings import Settings as Settings
from mnemic.stores.sqlite import SqliteStore
from mnemic.stores.sqlite import restore as restore_store
from mnemic.stores.sqlite.files import NAME

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from mnemic.model.health import Finding
    from mnemic.model.scope import Scope
    from mnemic.ports import Embedder, Llm, Progress, Reranker, Store

_EMBEDDER_URLS = {"openai": "https://api.openai.com/v1", "ollama": "http://127.0.0.1:11434/v1"}


def load_settings() -> Settings:
    """Read the settings from the environment and the settings file."""
    return settings_file.load()


# Where things are


def mind_folder(path: str | os.PathLike[str] | None = None, *, settings: Settings | None = None) -> Path:
    """Return the folder of the mind at a path, or of the mind that the settings name."""
    return _folder("mind", (settings or load_settings()).mind if path is None else path)


def _folder(field: str, location: str | os.PathLike[str]) -> Path:
    """Return a location as a folder; an address such as postgresql://… is none."""
    if isinstance(location, str) and not location.strip():
        raise InvalidInput(field, "is blank; leave it out, or name a folder (is a variable unset?)")
    path = checks.path(field, location)
    scheme, separator, _ = str(location).partition("://")
    if separator:
        raise InvalidInput(field, f"is an address of {scheme}://, which this version cannot open; name a folder")
    return path


def has_mind(folder: Path) -> bool:
    """Return whether a folder holds a mind, or something is in its place."""
    return (folder / NAME).exists() or folder.is_file()


def experience_folder(path: str | os.PathLike[str] | None = None, *, settings: Settings | None = None) -> Path:
    """Return the folder of the experience tree at a path, or the one in home."""
    return (settings or load_settings()).experience if path is None else _folder("root", path)


def experience_folder_of(scope: Scope, *, settings: Settings | None = None) -> Path:
    """Return the folder of a scope's tree in home: the common one for no scope, else one of its own."""
    settings = settings or load_settings()
    if scope.is_nobody:
        return settings.experience
    keys = json.dumps([scope.agent, scope.user, scope.session])
    names = "-".join(name for name in (scope.agent, scope.user, scope.session) if name)
    readable = re.sub(r"[^a-z0-9]+", "-", names.lower())[:40].strip("-")
    return settings.home / "experiences" / f"{readable}-{sha256(keys.encode()).hexdigest()[:16]}"


# What a mind is made of


def open_mind(
    path: str | os.PathLike[str] | None = None,
    *,
    embedder: str | Embedder | None = None,
    settings: Settings | None = None,
) -> Mind:
    """Open the mind at a path, in memory for ":memory:", else the one that the settings name."""
    settings = settings or load_settings()
    chosen = chosen_embedder(embedder, settings=settings)
    location = path if path == ":memory:" else mind_folder(path, settings=settings)
    return Mind(location, embedder=chosen, reranker=reranker(settings))


def embedder(settings: Settings | None = None) -> Embedder:
    """Return the embedder that the settings name."""
    settings = settings or load_settings()
    return embedder_from(settings.embedder, field="MNEMIC_EMBEDDER", settings=settings)


def reranker(settings: Settings | None = None) -> Reranker | None:
    """Return the reranker that the settings name, loaded when it is first used; None when they name none."""
    settings = settings or load_settings()
    spec = settings.reranker
    if spec is None:
        return None
    return LazyReranker(spec, lambda: reranker_from(spec, field="MNEMIC_RERANKER", settings=settings))


def llm(settings: Settings | None = None) -> Llm | None:
    """Return the language model that the settings name, or None: everything works without one."""
    settings = settings or load_settings()
    return None if settings.llm is None else llm_from(settings.llm, field="MNEMIC_LLM", settings=settings)


def chosen_embedder(
    value: str | Embedder | None, *, field: str = "embedder", settings: Settings | None = None
) -> Embedder:
    """Return an embedder as it is or by its name, else that of the settings."""
    if value is None:
        return embedder(settings)
    if isinstance(value, str):
        return embedder_from(checks.name(field, value), field=field, settings=settings)
    if not all(hasattr(value, part) for part in ("name", "embed")):
        raise InvalidInput(field, f"must be a name such as onnx:bge-small or an Embedder, not {checks.shown(value)}")
    return value


def chosen_llm(value: str | Llm | None, *, field: str = "llm", settings: Settings | None = None) -> Llm | None:
    """Return a language model as it is or by its name, else that of the settings, if they name one."""
    if value is None:
        return llm(settings)
    if isinstance(value, str):
        return llm_from(value, field=field, settings=settings)
    if not all(hasattr(value, part) for part in ("name", "answer", "stream", "structured")):
        raise InvalidInput(field, f"must be a name such as openai:gpt-5 or an Llm, not {checks.shown(value)}")
    return value


# Models by name; what a model needs is only loaded when it is chosen


def embedder_from(spec: str, *, field: str = "embedder", settings: Settings | None = None) -> Embedder:
    """Return the embedder that a name stands for.

    The names are table, onnx:NAME, openai:MODEL, ollama:MODEL and remote:MODEL@BASE_URL.
    """
    kind, _, rest = spec.partition(":")
    if spec == "table":
        from mnemic.embedders.table import TableEmbedder

        return TableEmbedder()
    settings = settings or load_settings()
    if kind == "onnx" and rest:
        from mnemic.embedders.onnx import OnnxEmbedder

        return OnnxEmbedder(settings.models, rest)
    model, _, base_url = rest.rpartition("@") if kind == "remote" else (rest, "", _EMBEDDER_URLS.get(kind, ""))
    if model and base_url:
        from mnemic.embedders.remote import RemoteEmbedder

        own = provider_key(kind) if kind == "openai" else EMBEDDER_KEY
        key = settings.key(own)
        if key is None and kind == "openai":
            raise ModelMissing(f"{kind} needs a key; set the environment variable {own}")
        return RemoteEmbedder(base_url, model, key=key)
    raise InvalidInput(
        field, f"must be table, onnx:bge-small, openai:MODEL, ollama:MODEL or remote:MODEL@BASE_URL, not {spec!r}"
    )


def reranker_from(spec: str, *, field: str = "reranker", settings: Settings | None = None) -> Reranker:
    """Return the reranker that a name stands for: onnx:NAME."""
    kind, _, name = spec.partition(":")
    if kind == "onnx" and name:
        from mnemic.rerankers.onnx import OnnxReranker

        return OnnxReranker((settings or load_settings()).models, name)
    raise InvalidInput(field, f"must be onnx:ms-marco-minilm, not {spec!r}")


def llm_from(spec: str, *, field: str = "llm", settings: Settings | None = None) -> Llm:
    """Return the language model that a name stands for: PROVIDER:MODEL, or PROVIDER:MODEL@BASE_URL for an endpoint.

    The key comes from the environment: MNEMIC_LLM_KEY, else the provider's own variable, such as OPENAI_API_KEY. A
    provider's own key is only sent to the provider itself.
    """
    provider, _, rest = checks.name(field, spec).partition(":")
    model, _, base_url = rest.rpartition("@") if "://" in rest else (rest, "", "")
    if not provider or not model:
        raise InvalidInput(
            field, f"must look like openai:MODEL, anthropic:MODEL, ollama:MODEL or openai:MODEL@BASE_URL, not {spec!r}"
        )
    from mnemic.llms.remote import RemoteLlm

    settings = settings or load_settings()
    own = provider_key(provider)
    elsewhere = bool(base_url) or provider == "ollama"
    key = settings.key(LLM_KEY) if elsewhere else settings.key(LLM_KEY, own)
    if key is None and not elsewhere:
        raise ModelMissing(f"{provider} needs a key; set the environment variable {LLM_KEY} or {own}")
    return RemoteLlm(
        f"{provider}:{model}",
        base_url=base_url or None,
        key=key,
        timeout=settings.llm_timeout,
        budget=settings.llm_budget,
    )


# A store as a whole


def open_store(location: str | os.PathLike[str], model: EmbeddingModel) -> Store:
    """Open the store of a mind: in a folder, or in memory for ":memory:"."""
    return SqliteStore(None if location == ":memory:" else _folder("path", location), model)


def reindex(
    path: str | os.PathLike[str] | None = None,
    *,
    to: Embedder | None = None,
    progress: Progress = silent,
    settings: Settings | None = None,
) -> int:
    """Give every memory a vector of an embedder, else of the one that the settings name; return how many got one."""
    settings = settings or load_settings()
    folder = mind_folder(path, settings=settings)
    if not has_mind(folder):
        raise NotFound(f"no mind in {folder} yet; there is nothing to reindex")
    chosen = to or embedder(settings)
    store = SqliteStore(folder, EmbeddingModel(chosen.name, chosen.dimension))
    try:
        return fill(store, chosen, progress=progress)
    finally:
        store.close()


def examine(folder: Path, *, mend: bool, progress: Progress) -> list[Finding]:
    """Check a mind's store, whichever embedder made its vectors."""
    store = SqliteStore(folder)
    try:
        return store.check(mend=mend, progress=progress)
    finally:
        store.close()


def restore(backup: Path, folder: Path, *, replace: bool = False) -> Path | None:
    """Restore a backup into the folder of a mind; return where the old mind was moved."""
    return restore_store(backup, folder, replace=replace)
