"""An agent that manages its own memory with two tools.

    python examples/agent_with_tools.py

`complete` stands in for a model that can call tools. To use a real one, replace it with a call such as OpenAI's
`chat.completions.create(messages=…, tools=…)`. Memories are stored in the default mind; set MNEMIC_HOME to try it
elsewhere.
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


def complete(messages: list[Json], _tools: list[Json]) -> Json:
    """Stand in for a model: save statements, search for questions, and answer with the result."""
    last = messages[-1]
    if last["role"] == "tool":
        result = json.loads(last["content"])
        memories = "; ".join(result.get("memories", [])) or "nothing"
        reply = "I'll remember that." if "memory_ids" in result else f"I remember: {memories}"
        return {"role": "assistant", "content": reply}
    text = last["content"]
    if text.endswith("?"):
        return tool_call("recall_from_memory", keywords=[text])
    return tool_call("save_to_memory", thinking="The user talked about themselves.", content=[f"The user said: {text}"])


def tool_call(name: str, **arguments: object) -> Json:
    """Return a message that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}


async def main() -> None:
    """Run two conversations; the second knows what was said in the first."""
    for conversation in (["My birthday is on March 15."], ["When is my birthday?"]):
        async with PersistentMemory(agent_name="helper", user_name="ana") as memory:
            messages: list[Json] = []
            for text in conversation:
                print("ana:", text)
                messages.append({"role": "user", "content": text})
                print("helper:", await answer(complete, MemoryTools(memory), messages))


if __name__ == "__main__":
    asyncio.run(main())
