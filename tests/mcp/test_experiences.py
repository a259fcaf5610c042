from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mnemic import MemoryEngine
from mnemic.experience.routes import ROUTES, Route, Routes
from tests.mcp.agents import ERAS, agent_for, agent_of

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic import Mind
    from mnemic.mcp.server import MnemicServer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("era", ERAS)
async def test_an_experience_is_filed_and_found_by_meaning_and_route(server: MnemicServer, era: str) -> None:
    async with agent_of(server, era=era) as agent:
        filed = await agent.call(
            "remember_experience",
            content="The parser ran out of memory on a 2 GB export",
            outcome="failure",
            tool="code_interpreter",
            error_type="runtime",
            metadata={"file": "export.csv"},
        )
        by_meaning = await agent.call("recall_experience", query="memory of the parser")
        by_route = await agent.call("recall_experience", outcome="failure", error_type="runtime")
        elsewhere = await agent.call("recall_experience", outcome="success")
    assert filed["path"].startswith("failure/code_interpreter/runtime/")
    (found,) = by_meaning["experiences"]
    assert found["experience"]["path"] == filed["path"]
    assert found["experience"]["metadata"] == {"file": "export.csv"}
    assert [one["experience"]["path"] for one in by_route["experiences"]] == [filed["path"]]
    assert elsewhere["experiences"] == []


async def test_the_arguments_follow_the_table(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        tools = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
    remember = tools["remember_experience"]
    schema = ROUTES.schema()
    assert {**remember.input_schema["properties"]} == {
        **schema["properties"],  # type: ignore[dict-item]
        "metadata": remember.input_schema["properties"]["metadata"],
    }
    assert remember.input_schema["required"] == schema["required"]
    assert ROUTES.table() in (remember.description or "")
    assert ROUTES.keys.keys() <= tools["recall_experience"].input_schema["properties"].keys()


async def test_a_tree_with_a_table_of_its_own_has_its_own_arguments(mind: Mind, tmp_path: Path) -> None:
    table = Routes([Route("won", None, "game", ("chess", "go")), Route("lost", None, "game", ("chess", "go"))])
    MemoryEngine(tmp_path / "experience", routes=table).close()
    async with agent_for(mind, tmp_path) as agent:
        filed = await agent.call(
            "remember_experience", content="Won with the Réti opening", outcome="won", game="chess"
        )
        assert "outcome: must be one of won, lost" in await agent.refused(
            "remember_experience", content="x", outcome="success"
        )
        for tool, arguments in (("recall_experience", {}), ("remember_experience", {"content": "x", "outcome": "won"})):
            assert "tool: is not an argument" in await agent.refused(tool, tool="unknown", **arguments)
    assert filed["path"].startswith("won/chess/")


@pytest.mark.parametrize("key", ["outcome", "task_type", "content"])
async def test_metadata_cannot_stand_in_for_an_argument(server: MnemicServer, key: str) -> None:
    async with agent_of(server) as agent:
        refused = await agent.refused(
            "remember_experience", content="x", outcome="interaction", sentiment="neutral", metadata={key: "y"}
        )
    assert f"metadata: holds {key}" in refused


async def test_looking_back_comes_in_pages_that_hold_everything(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        for number in range(12):
            await agent.call(
                "remember_experience", content=f"Run {number} timed out", outcome="failure", tool="file_operation"
            )
        whole = await agent.call("reflect", budget=50_000)
        pages = [await agent.call("reflect", budget=500)]
        while "next_cursor" in pages[-1]:
            pages.append(await agent.call("reflect", budget=500, cursor=pages[-1]["next_cursor"]))
    assert len(pages) > 3
    assert whole["sections"]["total"] == 12
    joined: dict[str, object] = {}
    for page in pages:
        for name, value in page["sections"].items():
            joined[name] = joined.get(name, []) + value if isinstance(value, list) else value  # type: ignore[operator]
    assert json.dumps(joined) == json.dumps(whole["sections"])


async def test_the_topology_tells_what_the_tree_shows(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        await agent.call("remember_experience", content="Read it all", outcome="success", tool="file_operation")
        told = (await agent.call("topology"))["sections"]
    assert told["total"] == 1
    assert [branch["folder"] for branch in told["branches"]] == ["success/file_operation"]
