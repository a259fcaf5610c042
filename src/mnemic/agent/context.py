"""ConversationContext: one conversation, its history and its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mnemic.agent.entry import MemoryTypes
from mnemic.agent.manager import MemoryManager
from mnemic.model.message import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from mnemic.agent.config import MemoryConfig
    from mnemic.mind import Mind


class History:
    """The last messages of a conversation."""

    def __init__(self, messages: Sequence[Message], *, most: int) -> None:
        self._most = most
        self._messages = list(messages)[-most:]

    def add_message(self, message: Message) -> None:
        """Add a message, and drop the oldest when there are too many."""
        self._messages = [*self._messages, message][-self._most :]

    @property
    def messages(self) -> list[Message]:
        """Return the messages, oldest first."""
        return list(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self._messages)


class ConversationContext:
    """A conversation with its history and its memory; it continues after a restart."""

    def __init__(
        self, conversation_id: str, memory_config: MemoryConfig | None = None, *, mind: Mind | None = None
    ) -> None:
        """Open a conversation by its id, new or old."""
        self.memory = MemoryManager(memory_config, session=conversation_id, mind=mind)
        self.id = conversation_id
        self.history = History(self.memory.turns(), most=self.memory.config.window)

    async def __aenter__(self) -> ConversationContext:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the memory; the conversation stays stored."""
        await self.memory.close()

    async def add_message(self, message: Message | Mapping[str, Any]) -> None:
        """Add a message to the history and to short-term memory; a blank one only to the history."""
        message = Message.of(message)
        if message.content.strip():
            metadata = {"role": message.role, "source": self.id}
            await self.memory.add_memory(message.content, MemoryTypes.SHORT_TERM, metadata)
        self.history.add_message(message)
