"""Choice: the embedder and the reranker that a setting names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.ports import Embedder, Llm, Reranker


def embedder_from(spec: str, *, models: Path) -> Embedder:
    """Return the embedder that a setting names: table, onnx:NAME or remote:MODEL@BASE_URL.

    `models` is the folder of the fetched models. What an embedder needs is loaded only when it is chosen.
    """
    kind, _, rest = spec.partition(":")
    if spec == "table":
        from recollect.embedders.table import TableEmbedder

        return TableEmbedder()
    if kind == "onnx" and rest:
        from recollect.embedders.onnx import OnnxEmbedder

        return OnnxEmbedder(models, rest)
    model, _, base_url = rest.rpartition("@")
    if kind == "remote" and model and base_url:
        from recollect.embedders.remote import RemoteEmbedder

        return RemoteEmbedder(base_url, model)
    raise InvalidInput("embedder", f"must be table, onnx:bge-small or remote:MODEL@BASE_URL, not {spec!r}")


def reranker_from(spec: str, *, models: Path) -> Reranker:
    """Return the reranker that a setting names: onnx:NAME."""
    kind, _, name = spec.partition(":")
    if kind == "onnx" and name:
        from recollect.rerankers.onnx import OnnxReranker

        return OnnxReranker(models, name)
    raise InvalidInput("reranker", f"must be onnx:ms-marco-minilm, not {spec!r}")


def llm_from(spec: str) -> Llm:
    """Return the language model."""
    raise InvalidInput("llm", f"no {spec}")
