"""A language model behind an API: OpenAI, Anthropic, Ollama, or whatever speaks like them."""

from mnemic.llms.remote.llm import RemoteLlm
from mnemic.llms.remote.spent import Spent

__all__ = ["RemoteLlm", "Spent"]
