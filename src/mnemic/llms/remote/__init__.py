"""A language model behind an API: OpenAI, Anthropic, Ollama, or any OpenAI-compatible endpoint."""

from mnemic.llms.remote.llm import RemoteLlm
from mnemic.llms.remote.spent import Spent

__all__ = ["RemoteLlm", "Spent"]
