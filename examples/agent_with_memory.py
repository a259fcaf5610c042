"""An agent whose framework manages its memory: it retrieves before each answer and records after it.

python examples/agent_with_memory.py                 # offline, with a stand-in for the language model
python examples/agent_with_memory.py openai:gpt-5    # with any language model
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from mnemic import ConversationMemory, Message, PersistentMemory, ScriptedLlm
from mnemic.wiring import chosen_llm

if TYPE_CHECKING:
    from mnemic.ports import Llm


class RememberingAgent:
    """Answer with the help of what earlier conversations told."""

    def __init__(self, llm: Llm, *, user: str) -> None:
        self.llm = llm
        self.conversation = ConversationMemory()
        self.memory = PersistentMemory(agent_name="guide", user_name=user)

    async def chat(self, said: str) -> str:
        """Return the answer to what a user said."""
        await self.conversation.add({"role": "user", "content": said})
        messages = [Message.of(message) for message in await self.conversation.get_messages()]
        if context := await self.memory.retrieve(said):
            messages.insert(0, Message("system", f"Answer with what you know of the user.\n{context}"))
        answer = await asyncio.to_thread(self.llm.answer, messages)
        await self.conversation.add({"role": "assistant", "content": answer})
        await self.memory.record(await self.conversation.get_messages())
        return answer


def stand_in(conversation: list[Message]) -> str:
    """Answer offline: repeat the memories that are in the prompt."""
    known = [line[2:] for line in conversation[0].content.splitlines() if line.startswith("- [")]
    return "I remember: " + "; ".join(known) if known else "Tell me more."


async def main(name: str | None) -> None:
    """Hold two conversations with the same user."""
    llm = chosen_llm(name) if name else ScriptedLlm(stand_in)
    if llm is None:
        raise SystemExit("name a language model")
    for talk in (["Hello! I'm Ana and I live in Lisbon.", "I am allergic to peanuts."], ["Where do I live?"]):
        agent = RememberingAgent(llm, user="ana")
        for said in talk:
            print("ana:", said)
            print("guide:", await agent.chat(said))
        await agent.memory.close()
        print("--")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
