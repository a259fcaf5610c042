"""Choice: the embedder, the reranker and the language model that a setting names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic import settings
from mnemic.errors import InvalidInput, ModelMissing
from mnemic.model import checks

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic.ports import Embedder, Llm, Reranker


_ENDPOINTS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "ollama": ("http://127.0.0.1:11434/v1", None),
}
"""Where a provider's embedders are asked, and the variable with its key."""


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
