"""Agent: answers with the memory of a conversation at hand, and streams."""

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
    """Recall what matters for a message, answer with it, and keep both; override `respond` to answer otherwise."""

    def __init__(
        self, llm: str | Llm | None = None, *, instructions: str = INSTRUCTIONS, memories: int = 5, learns: bool = True
    ) -> None:
        """Name the language model, else that of the conversation's memory answers.

        `memories` is how many are recalled for a message; `learns` is whether what the user says about lasting things
        becomes long-term memory.
        """
        self.llm = None if llm is None else chosen_llm(llm)
        self.instructions = instructions
        self.memories = memories
        self.learns = learns

    async def process_message(
        self, message: str | Message | Mapping[str, Any], context: ConversationContext
    ) -> AsyncGenerator[str, None]:
        """Answer a message piece by piece; when the answer is complete, the conversation and the memory hold it.

        When the answer fails, or nobody waits for its end, nothing is kept.
        """
        asked = Message("user", message) if isinstance(message, str) else Message.of(message)
        recalled = await self.recall(asked, context)
        said = []
        answer = self.respond(self.build_prompt(asked, recalled, context), context)
        try:
            async for piece in answer:
                said.append(piece)
                yield piece
        finally:
            if (close := getattr(answer, "aclose", None)) is not None:
                await close()
        await context.memory.use(recalled)
        await context.add_message(asked)
        await context.add_message(Message("assistant", "".join(said)))
        if self.learns and asked.content.strip():
            await context.memory.learn([asked])

    async def recall(self, message: Message, context: ConversationContext) -> list[MemoryEntry]:
        """Return the memories that matter for a message, leaving out the turns that are in the history."""
        if not message.content.strip():
            return []
        elsewhere = {"tier": {"ne": MemoryTypes.SHORT_TERM}}
        return await context.memory.search_memory(message.content, limit=self.memories, filters=elsewhere)

    def build_prompt(
        self, message: Message, memories: Sequence[MemoryEntry], context: ConversationContext
    ) -> list[Message]:
        """Return the conversation for a language model: instructions, memories marked as data, history, message."""
        told = quoted((memory.timestamp, memory.content) for memory in memories)
        system = "\n\n".join(part for part in (self.instructions, told) if part)
        start = [Message("system", system)] if system else []
        return [*start, *context.history, message]

    async def respond(self, prompt: Sequence[Message], context: ConversationContext) -> AsyncIterator[str]:
        """Yield the answer to a prompt piece by piece."""
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
    """End an answer that nobody reads to its end."""
    if (close := getattr(pieces, "close", None)) is not None:
        with suppress(ValueError):  # its last piece is still being made
            close()
