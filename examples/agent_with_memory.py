"""An agent that retrieves memories before each answer and records the conversation after it.

    python examples/agent_with_memory.py                 # offline, with a stand-in for the language model
    python examples/agent_with_memory.py openai:gpt-5    # with any language model

It stores memories in the default mind; set MNEMIC_HOME to try it elsewhere.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from mnemic import ConversationMemory, Message, PersistentMemory, ScriptedLlm
from mnemic.wiring import llm_from

if TYPE_CHECKING:
    from mnemic.ports import Llm


class RememberingAgent:
    """An agent that knows what the user said in earlier conversations."""

    def __init__(self, llm: Llm, *, user: str) -> None:
        self.llm = llm
        self.conversation = ConversationMemory()
        self.memory = PersistentMemory(agent_name="guide", user_name=user)

    async def chat(self, text: str) -> str:
        """Answer a message of the user."""
        await self.conversation.add({"role": "user", "content": text})
        messages = [Message.of(message) for message in await self.conversation.get_messages()]
        if memories := await self.memory.retrieve(text):
            messages.insert(0, Message("system", f"Answer with what you know about the user.\n{memories}"))
        answer = await asyncio.to_thread(self.llm.answer, messages)
        await self.conversation.add({"role": "assistant", "content": answer})
        await self.memory.record(await self.conversation.get_messages())
        return answer


def repeat_memories(prompt: list[Message]) -> str:
    """Answer without a language model: repeat the memories in the prompt."""
    memories = [line[2:] for line in prompt[0].content.splitlines() if line.startswith("- [")]
    return "I remember: " + "; ".join(memories) if memories else "Tell me more."


async def main(model: str | None) -> None:
    """Run two conversations with the same user."""
    llm = llm_from(model) if model else ScriptedLlm(repeat_memories)
    for conversation in (
        ["Hello! I'm Ana and I live in Lisbon.", "I am allergic to peanuts."],
        ["Where do I live?", "What am I allergic to?"],
    ):
        agent = RememberingAgent(llm, user="ana")
        for text in conversation:
            print("ana:", text)
            print("guide:", await agent.chat(text))
        await agent.memory.close()
        print("--")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
