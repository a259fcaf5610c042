"""A chat that remembers after a restart.

    python examples/chat.py                # continues where it stopped; an empty line ends it
    python examples/chat.py another        # another conversation, which knows the facts of the first
    MNEMIC_LLM=openai:gpt-5 python examples/chat.py

Without a language model, it answers with the memories it finds. Memories are stored in the default mind; set
MNEMIC_HOME to try it elsewhere.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from mnemic import Agent, ConversationContext, MemoryConfig, Message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


class ChatAgent(Agent):
    """An agent that also answers without a language model."""

    async def respond(self, prompt: Sequence[Message], context: ConversationContext) -> AsyncIterator[str]:
        """Answer with the language model, or else with the recalled memories."""
        if context.memory.llm is not None:
            async for piece in super().respond(prompt, context):
                yield piece
            return
        memories = [line for line in prompt[0].content.splitlines() if line.startswith("- [")]
        yield "That reminds me:\n" if memories else "I'll keep that in mind."
        for line in memories:
            yield f"{line}\n"


async def main(conversation: str) -> None:
    """Chat until an empty line."""
    agent = ChatAgent()
    async with ConversationContext(conversation, MemoryConfig(agent="chat")) as context:
        if context.history:
            print(f"(continuing after {len(context.history)} messages)")
        print("Type a message; an empty line ends the chat.")
        while text := (await asyncio.to_thread(sys.stdin.readline)).strip():
            async for piece in agent.process_message(text, context):
                print(piece, end="", flush=True)
            print()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "main"))
