"""The base classes for memories of your own."""

# ruff: noqa: ANN401, ARG002 - the arguments are for whoever writes the methods

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class MemoryBase(ABC):
    """The messages of a conversation; a subclass implements every method."""

    @abstractmethod
    async def add(self, *args: Any, **kwargs: Any) -> None:
        """Add messages."""

    @abstractmethod
    async def delete(self, *args: Any, **kwargs: Any) -> None:
        """Remove messages."""

    @abstractmethod
    async def retrieve(self, *args: Any, **kwargs: Any) -> Any:
        """Return what answers a question."""

    @abstractmethod
    async def size(self) -> int:
        """Count the messages."""

    @abstractmethod
    async def clear(self) -> None:
        """Remove every message."""

    @abstractmethod
    async def get_messages(self, *args: Any, **kwargs: Any) -> list[dict[str, Any]]:
        """Return the messages in the format of a language model."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able values."""

    @abstractmethod
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> None:  # noqa: FBT001, FBT002
        """Replace everything with what `state_dict` returned."""


class PersistentMemoryBase(ABC):  # noqa: B024 - one of the two modes is enough
    """Long-term memory for a framework (record, retrieve), for the agent itself (tools), or for both."""

    async def record(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        """Store what is worth remembering of a conversation."""
        raise self._unsupported("record")

    async def retrieve(self, query: Any, *args: Any, **kwargs: Any) -> str:
        """Return what is remembered about a question, as text for a prompt."""
        raise self._unsupported("retrieve")

    async def save_to_memory(self, thinking: str, content: list[str], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Store what the agent wants to remember: a tool."""
        raise self._unsupported("save_to_memory")

    async def recall_from_memory(self, keywords: list[str], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return what the agent searches for: a tool."""
        raise self._unsupported("recall_from_memory")

    def _unsupported(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {method}; implement it to use it")
