"""An agent that manages its own memory with tools.

    python examples/agent_with_tools.py

`complete` stands in for a model that calls tools, such as OpenAI's `chat.completions.create(messages=…, tools=…)`; put
your own in its place.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from mnemic import MemoryTools, PersistentMemory

Json = dict[str, Any]
Complete = Callable[[list[Json], list[Json]], Json]


async def answer(complete: Complete, tools: MemoryTools, messages: list[Json]) -> str:
    """Let the model call tools until it answers."""
    while True:
        message = await asyncio.to_thread(complete, messages, tools.openai())
        messages.append(message)
        calls = message.get("tool_calls")
        if not calls:
            return str(message["content"])
        for call in calls:
            print(f"  [{call['function']['name']} {call['function']['arguments']}]")
            messages.append(await tools.answer(call))


def complete(messages: list[Json], tools: list[Json]) -> Json:
    """Stand in for a model: save what is told, recall what is asked, and answer with what came back."""
    assert {tool["function"]["name"] for tool in tools} == {"save_to_memory", "recall_from_memory"}  # noqa: S101
    last = messages[-1]
    if last["role"] == "tool":
        result = json.loads(last["content"])
        known = "; ".join(result.get("memories", [])) or "nothing"
        told = "I'll remember that." if "memory_ids" in result else f"I remember: {known}."
        return {"role": "assistant", "content": told}
    said = last["content"]
    if said.endswith("?"):
        return calling("recall_from_memory", keywords=[said])
    return calling("save_to_memory", thinking="The user told me about themselves.", content=[f"The user said: {said}"])


def calling(name: str, **arguments: object) -> Json:
    """Return a message that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}


async def main() -> None:
    """Hold two conversations; the second knows what the first was told."""
    for talk in (["My birthday is on March 15."], ["When is my birthday?"]):
        async with PersistentMemory(agent_name="helper", user_name="ana") as memory:
            messages: list[Json] = []
            for said in talk:
                print("ana:", said)
                messages.append({"role": "user", "content": said})
                print("helper:", await answer(complete, MemoryTools(memory), messages))


if __name__ == "__main__":
    asyncio.run(main())
