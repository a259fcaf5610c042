"""Whatever a model sends, it gets an answer that it can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.mcp.agents import ERAS, agent_of, read

if TYPE_CHECKING:
    from mnemic import Mind
    from mnemic.mcp.server import MnemicServer

pytestmark = pytest.mark.anyio


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"category": "x"}
    for _ in range(depth):
        value = {"not": value}
    return value


WRONG: list[Any] = [
    *(None, True, 0, -1, 10**30, 1.5, 1e308, "", " ", "x", "\0", "*", "null", "[]", "{", "2026-13-01"),
    *([], ["x"], [None], {}, {"x": 1}, {"text": {"like": "x"}}, {"metadata.x": {"in": []}}, nested(100)),
    *("x" * 10_000, ["x"] * 1_000, {"": ""}, "00000000-0000-7000-8000-000000000000"),
]

ENOUGH: dict[str, dict[str, Any]] = {
    "remember": {"text": "Ana sings"},
    "recall": {"query": "sings"},
    "get_memory": {"id": "00000000-0000-7000-8000-000000000000"},
    "revise_memory": {"id": "00000000-0000-7000-8000-000000000000", "importance": 1},
    "restore_memory": {"ids": []},
    "remember_experience": {"content": "it broke", "outcome": "failure", "tool": "unknown"},
}


async def test_every_wrong_argument_of_every_tool_gets_a_readable_answer(server: MnemicServer, mind: Mind) -> None:
    mind.remember("Ana sings", user="ana")
    refused = 0
    async with agent_of(server) as agent:
        for tool in (await agent.client.list_tools()).tools:
            for argument in tool.input_schema["properties"]:
                for value in WRONG:
                    given = {**ENOUGH.get(tool.name, {}), argument: value}
                    result = await agent.client.call_tool(tool.name, given)
                    assert read(result), (tool.name, given)
                    if result.is_error:
                        refused += 1
                        assert not read(result).startswith("Error executing"), (tool.name, given, read(result))
                        assert "\n" not in read(result), (tool.name, given)
                        assert len(read(result)) < 2_000
    assert refused > 500


@pytest.mark.parametrize("era", ERAS)
async def test_missing_arguments_are_named(server: MnemicServer, era: str) -> None:
    async with agent_of(server, era=era) as agent:
        assert await agent.refused("remember") == "text: Field required"
        assert await agent.refused("recall", limit=0) == (
            "query: Field required; limit: Input should be greater than or equal to 1"
        )
        assert "outcome: must be one of success, failure" in await agent.refused(
            "remember_experience", content="x", outcome="maybe"
        )
        assert "error_type: is missing; it must be one of syntax" in await agent.refused(
            "remember_experience", content="x", outcome="failure", tool="code_interpreter"
        )


async def test_an_unknown_tool_is_answered_with_those_there_are(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        assert "known are remember, recall, get_memory" in await agent.refused("delete_everything")
