"""Our embedder and our language model behind mem0's interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mem0.embeddings.base import EmbeddingBase
from mem0.llms.base import LLMBase

from mnemic.errors import ModelMissing
from mnemic.model.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class EmbedderForMem0(EmbeddingBase):  # type: ignore[misc]
    """An embedder for mem0; the configuration's model is ours."""

    def __init__(self, config: Any) -> None:  # noqa: ANN401
        super().__init__(config)
        self.config.embedding_dims = config.model.dimension

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        """Return the vector of a text."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:  # noqa: ARG002
        """Return the vectors of texts."""
        rows: list[list[float]] = self.config.model.embed(list(texts)).tolist()
        return rows


class LlmForMem0(LLMBase):  # type: ignore[misc]
    """A language model for mem0; the configuration's model is ours, or None."""

    def generate_response(self, messages: Sequence[Mapping[str, str]], **_options: object) -> str:
        """Return the answer to a conversation."""
        if self.config.model is None:
            raise ModelMissing("no language model; give llm_backend, or an llm in mem0_config")
        answer: str = self.config.model.answer([Message.of(message) for message in messages])
        return answer
