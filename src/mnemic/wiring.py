"""Wiring: the one place that reads the settings and picks what a mind is made of."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic import settings
from mnemic.core.reindex import fill
from mnemic.errors import InvalidInput, ModelMissing, NotFound
from mnemic.mind import Mind
from mnemic.model import checks
from mnemic.model.embedding import EmbeddingModel
from mnemic.ports import silent
from mnemic.rerankers.later import LaterReranker
from mnemic.stores.sqlite import SqliteStore
from mnemic.stores.sqlite import restore as restore_store
from mnemic.stores.sqlite.files import NAME

if TYPE_CHECKING:
    import os

    from mnemic.model.health import Finding
    from mnemic.model.scope import Scope
    from mnemic.ports import Embedder, Llm, Progress, Reranker

_ENDPOINTS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "ollama": ("http://127.0.0.1:11434/v1", None),
}
"""Where a provider's embedders are asked, and the variable with its key."""


def mind_folder(path: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the mind at a path, or of the mind that the settings name."""
    if path is None:
        return settings.load().mind
    if not str(path).strip():
        raise InvalidInput("mind", "is blank; leave it out, or name a folder (a lost variable?)")
    return Path(path)


def experience_folder(path: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the experience tree at a path, or the one in home."""
    if path is None:
        return settings.load().home / "experience"
    if not str(path).strip():
        raise InvalidInput("root", "is blank; leave it out, or name a folder (a lost variable?)")
    return Path(path)


def experience_folder_of(scope: Scope) -> Path:
    """Return the folder of the tree of a scope in home: the common one for no one's, else one of its own."""
    if scope.is_nobody:
        return experience_folder()
    told = json.dumps([scope.agent, scope.user, scope.session])
    names = "-".join(name for name in (scope.agent, scope.user, scope.session) if name)
    readable = re.sub(r"[^a-z0-9]+", "-", names.lower())[:40].strip("-")
    return settings.load().home / "experiences" / f"{readable}-{sha256(told.encode()).hexdigest()[:16]}"


def mcp_token() -> str | None:
    """Return the token that the environment gives to clients of the MCP server over HTTP."""
    return settings.mcp_token()


def mcp_token_file() -> Path:
    """Return the file that keeps the token of the MCP server over HTTP when the environment gives none."""
    return settings.load().home / "mcp-token"


def models_folder() -> Path:
    """Return the folder of the fetched models."""
    return settings.load().home / "models"


def has_mind(folder: Path) -> bool:
    """Tell whether a folder holds a mind, or something in its place."""
    return (folder / NAME).exists() or folder.is_file()


def open_mind(path: str | os.PathLike[str] | None = None, *, make: bool = True) -> Mind:
    """Open the mind at a path, or the one that the settings name; without `make`, only if it is there."""
    folder = mind_folder(path)
    if not make and not has_mind(folder):
        raise NotFound(f"no mind in {folder} yet; `mnemic remember` makes one, --mind names another")
    return Mind(folder, embedder=embedder(), reranker=reranker())


def embedder() -> Embedder:
    """Return the embedder that the settings name."""
    return embedder_from(settings.load().embedder, models=models_folder())


def reranker() -> Reranker | None:
    """Return the reranker that the settings name, loaded when it is first asked; None when they name none."""
    spec = settings.load().reranker
    if spec is None:
        return None
    return LaterReranker(spec, lambda: reranker_from(spec, models=models_folder()))


def llm() -> Llm | None:
    """Return the language model that the settings name, or None: everything works without one."""
    chosen = settings.load()
    return None if chosen.llm is None else llm_from(chosen.llm, timeout=chosen.llm_timeout, budget=chosen.llm_budget)


def door_mind(path: str | os.PathLike[str] | None = None, *, embedder: str | Embedder | None = None) -> Mind:
    """Open the mind of a door: at a path, in memory for ":memory:", else the one that the settings name."""
    chosen = chosen_embedder(embedder)
    return Mind(":memory:" if path == ":memory:" else mind_folder(path), embedder=chosen, reranker=reranker())


def chosen_embedder(given: str | Embedder | None, *, field: str = "embedder") -> Embedder:
    """Return an embedder that is given, named, or that of the settings."""
    if given is None:
        return embedder()
    if isinstance(given, str):
        return embedder_from(checks.name(field, given), models=models_folder())
    if not all(hasattr(given, part) for part in ("name", "embed")):
        raise InvalidInput(field, f"must be a name such as onnx:bge-small or an Embedder, not {checks.shown(given)}")
    return given


def chosen_llm(given: str | Llm | None, *, field: str = "llm") -> Llm | None:
    """Return a language model that is given, named, or that of the settings, if there is one."""
    if given is None:
        return llm()
    if isinstance(given, str):
        chosen = settings.load()
        return llm_from(checks.name(field, given), timeout=chosen.llm_timeout, budget=chosen.llm_budget)
    if not all(hasattr(given, part) for part in ("name", "answer", "stream", "structured")):
        raise InvalidInput(field, f"must be a name such as openai:gpt-5 or an Llm, not {checks.shown(given)}")
    return given


def reindex(
    path: str | os.PathLike[str] | None = None, *, to: Embedder | None = None, progress: Progress = silent
) -> int:
    """Give every memory a vector of an embedder, else of the one that the settings name; return how many got one."""
    folder = mind_folder(path)
    if not has_mind(folder):
        raise NotFound(f"no mind in {folder} yet; there is nothing to reindex")
    chosen = to or embedder()
    store = SqliteStore(folder, EmbeddingModel(chosen.name, chosen.dimension))
    try:
        return fill(store, chosen, progress=progress)
    finally:
        store.close()


def examine(folder: Path, *, mend: bool, progress: Progress) -> list[Finding]:
    """Check a mind's store, whatever embedder made its vectors."""
    store = SqliteStore(folder)
    try:
        return store.check(mend=mend, progress=progress)
    finally:
        store.close()


def restore(backup: Path, path: str | os.PathLike[str] | None = None, *, replace: bool = False) -> Path | None:
    """Put a backup in the place of a mind; return where the old one was kept."""
    return restore_store(backup, mind_folder(path), replace=replace)


def embedder_from(spec: str, *, models: Path) -> Embedder:
    """Return the embedder that a setting names: table, onnx:NAME, openai:MODEL, ollama:MODEL or remote:MODEL@BASE_URL.

    `models` is the folder of the fetched models. What an embedder needs is loaded only when it is chosen.
    """
    kind, _, rest = spec.partition(":")
    if spec == "table":
        from mnemic.embedders.table import TableEmbedder

        return TableEmbedder()
    if kind == "onnx" and rest:
        from mnemic.embedders.onnx import OnnxEmbedder

        return OnnxEmbedder(models, rest)
    model, _, base_url = rest.rpartition("@")
    if kind == "remote" and model and base_url:
        from mnemic.embedders.remote import RemoteEmbedder

        return RemoteEmbedder(base_url, model)
    if kind in _ENDPOINTS and rest:
        from mnemic.embedders.remote import RemoteEmbedder

        base_url, key = _ENDPOINTS[kind]
        return RemoteEmbedder(base_url, rest, api_key_env=key)
    raise InvalidInput(
        "embedder", f"must be table, onnx:bge-small, openai:MODEL, ollama:MODEL or remote:MODEL@BASE_URL, not {spec!r}"
    )


def reranker_from(spec: str, *, models: Path) -> Reranker:
    """Return the reranker that a setting names: onnx:NAME."""
    kind, _, name = spec.partition(":")
    if kind == "onnx" and name:
        from mnemic.rerankers.onnx import OnnxReranker

        return OnnxReranker(models, name)
    raise InvalidInput("reranker", f"must be onnx:ms-marco-minilm, not {spec!r}")


def llm_from(spec: str, *, timeout: float = 60.0, budget: int | None = None) -> Llm:
    """Return the language model that a setting names: PROVIDER:MODEL, or PROVIDER:MODEL@BASE_URL for one elsewhere.

    The key comes from the environment: MNEMIC_LLM_KEY, else the provider's own variable, such as OPENAI_API_KEY.
    """
    provider, _, rest = checks.name("llm", spec).partition(":")
    model, _, base_url = rest.rpartition("@") if "://" in rest else (rest, "", "")
    if not provider or not model:
        raise InvalidInput(
            "llm", f"must look like openai:MODEL, anthropic:MODEL, ollama:MODEL or openai:MODEL@BASE_URL, not {spec!r}"
        )
    from mnemic.llms.remote import RemoteLlm

    elsewhere = bool(base_url) or provider == "ollama"
    key = settings.llm_key(provider, elsewhere=elsewhere)
    if key is None and not elsewhere:
        own = f"{provider.upper().replace('-', '_')}_API_KEY"
        raise ModelMissing(f"{provider} needs a key; put it into the environment as {settings.LLM_KEY} or {own}")
    return RemoteLlm(f"{provider}:{model}", base_url=base_url or None, key=key, timeout=timeout, budget=budget)
