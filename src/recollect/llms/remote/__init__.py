"""A language model behind an API: OpenAI, Anthropic, Ollama, or whatever speaks like them."""

from recollect.llms.remote.llm import RemoteLlm
from recollect.llms.remote.spent import Spent

__all__ = ["RemoteLlm", "Spent"]
