"""Agent: answers messages with the help of a conversation's memory, and streams."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mnemic.agent.entry import MemoryTypes
from mnemic.errors import ModelMissing
from mnemic.model.message import Message
from mnemic.rules.prompt import quoted
from mnemic.wiring import chosen_llm

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence

    from mnemic.agent.context import ConversationContext
    from mnemic.agent.entry import MemoryEntry
    from mnemic.ports import Llm

INSTRUCTIONS = "You are a helpful assistant with a memory of earlier conversations."


class Agent:
    """An agent that answers with the help of memories, and stores what was said; override `respond` to change how."""

    def __init__(
        self, llm: str | Llm | None = None, *, instructions: str = INSTRUCTIONS, memories: int = 5, learns: bool = True
    ) -> None:
        """Choose the language model; without one, the model of the conversation's memory answers.

        `memories` is how many are recalled for a message. With `learns`, lasting facts that the user states become
        long-term memories.
        """
        self.llm = None if llm is None else chosen_llm(llm)
        self.instructions = instructions
        self.memories = memories
        self.learns = learns

    async def process_message(
        self, message: str | Message | Mapping[str, Any], context: ConversationContext
    ) -> AsyncGenerator[str, None]:
        """Stream the answer to a message; when it is complete, both are added to the conversation and its memory.

        If the answer fails, or is not read to its end, nothing is stored.
        """
        question = Message("user", message) if isinstance(message, str) else Message.of(message)
        recalled = await self.recall(question, context)
        pieces = []
        answer = self.respond(self.build_prompt(question, recalled, context), context)
        try:
            async for piece in answer:
                pieces.append(piece)
                yield piece
        finally:
            if (close := getattr(answer, "aclose", None)) is not None:
                await close()
        await context.memory.use(recalled)
        await context.add_message(question)
        await context.add_message(Message("assistant", "".join(pieces)))
        if self.learns and question.content.strip():
            await context.memory.learn([question])

    async def recall(self, message: Message, context: ConversationContext) -> list[MemoryEntry]:
        """Return the memories that matter for a message, without those in the history."""
        if not message.content.strip():
            return []
        elsewhere = {"tier": {"ne": MemoryTypes.SHORT_TERM}}
        return await context.memory.search_memory(message.content, limit=self.memories, filters=elsewhere)

    def build_prompt(
        self, message: Message, memories: Sequence[MemoryEntry], context: ConversationContext
    ) -> list[Message]:
        """Return the messages for a language model: instructions, memories marked as data, history, message."""
        quotation = quoted((memory.timestamp, memory.content) for memory in memories)
        system = "\n\n".join(part for part in (self.instructions, quotation) if part)
        start = [Message("system", system)] if system else []
        return [*start, *context.history, message]

    async def respond(self, prompt: Sequence[Message], context: ConversationContext) -> AsyncIterator[str]:
        """Yield the answer to a prompt, piece by piece."""
        llm = self.llm or context.memory.llm
        if llm is None:
            raise ModelMissing("there is no language model; give Agent(llm=…), set MNEMIC_LLM, or override respond")
        pieces = llm.stream(prompt)
        try:
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                yield piece
        finally:
            await asyncio.to_thread(_stop, pieces)


def _stop(pieces: Iterator[str]) -> None:
    """End an answer that is not read to its end."""
    if (close := getattr(pieces, "close", None)) is not None:
        with suppress(ValueError):  # its last piece is still being made
            close()
