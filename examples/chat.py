"""A chat that remembers across restarts.

    python examples/chat.py                # goes on where it stopped; an empty line ends it
    python examples/chat.py another        # another conversation, which knows what the first was told
    MNEMIC_LLM=openai:gpt-5 python examples/chat.py

Without a language model it answers with what it remembers.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from mnemic import Agent, ConversationContext, MemoryConfig, Message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


class Offline(Agent):
    """Answer without a language model."""

    async def respond(self, prompt: Sequence[Message], context: ConversationContext) -> AsyncIterator[str]:
        """Say which memories came to mind."""
        if context.memory.llm is not None:
            async for piece in super().respond(prompt, context):
                yield piece
            return
        known = [line for line in prompt[0].content.splitlines() if line.startswith("- [")]
        yield "That reminds me:\n" if known else "I'll keep that in mind."
        for line in known:
            yield f"{line}\n"


async def main(conversation: str) -> None:
    """Talk until an empty line comes."""
    agent = Offline()
    async with ConversationContext(conversation, MemoryConfig(agent="chat")) as context:
        if context.history:
            print(f"(we had {len(context.history)} messages before)")
        while said := (await asyncio.to_thread(sys.stdin.readline)).strip():
            async for piece in agent.process_message(said, context):
                print(piece, end="", flush=True)
            print()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "main"))
