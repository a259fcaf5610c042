from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.rules.prompt import tokens
from tests.mcp.agents import ERAS, Agent, agent_of

if TYPE_CHECKING:
    from mnemic import Mind
    from mnemic.mcp.server import MnemicServer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_remembered_is_recalled(server: MnemicServer, mind: Mind, era: str) -> None:
    async with agent_of(server, era=era) as agent:
        kept = await agent.call("remember", text="Ana plays the cello", category="hobby", tags=["music"], importance=7)
        (found,) = (await agent.call("recall", query="Which instrument does Ana play?"))["memories"]
        text = await agent.text("recall", query="Which instrument does Ana play?")
    assert kept == {"id": found["id"], "created": True, "evidence": 1}
    assert found["text"] == "Ana plays the cello"
    assert (found["user"], found["category"], found["tags"], found["importance"]) == ("ana", "hobby", ["music"], 7)
    assert 0 < found["score"] <= 1
    assert f"{found['id']} [2026-05-01 score {found['score']:.2f}] Ana plays the cello" in text
    assert mind.get(found["id"]).source == "mcp"


async def test_a_repeat_gains_evidence(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        await agent.call("remember", text="Ana plays the cello")
        assert (await agent.call("remember", text="Ana plays the cello"))["evidence"] == 2


async def test_a_newer_fact_closes_the_older_one(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        old = await agent.call("remember", text="Ana lives in Porto", occurred_at="2024-05-01")
        new = await agent.call("remember", text="Ana lives in Lisbon", occurred_at="2026-03-01", supersedes=old["id"])
        now = await agent.call("recall", query="Where does Ana live?")
        then = await agent.call("recall", query="Where does Ana live?", as_of="2025-01-01")
    assert new["superseded"] == old["id"]
    assert [memory["text"] for memory in now["memories"]] == ["Ana lives in Lisbon"]
    assert [memory["text"] for memory in then["memories"]] == ["Ana lives in Porto"]


async def test_a_newer_fact_about_an_unknown_memory_is_not_stored(server: MnemicServer, mind: Mind) -> None:
    async with agent_of(server) as agent:
        unknown = "00000000-0000-7000-8000-000000000000"
        assert "no memory" in await agent.refused("remember", text="Ana moved", supersedes=unknown)
    assert mind.count(everywhere=True) == 0


async def test_a_newer_fact_that_can_close_nothing_is_not_stored(server: MnemicServer, mind: Mind) -> None:
    async with agent_of(server) as agent:
        old = (await agent.call("remember", text="Ana lives in Porto"))["id"]
        assert "says the same" in await agent.refused("remember", text="Ana lives in Porto", supersedes=old)
        for _ in range(2):
            new = await agent.call("remember", text="Ana lives in Lisbon", supersedes=old)
        assert new["id"] in await agent.refused("remember", text="Ana lives in Rome", supersedes=old)
    assert [memory.evidence for page in mind.pages(user="ana", include_superseded=True) for memory in page] == [1, 2]


async def test_nothing_found_is_said_in_words(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        assert await agent.text("recall", query="anything") == "Nothing is remembered about that."
        assert await agent.text("list_memories") == "There are no such memories."


async def test_a_revision_changes_and_clears_fields(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        kept = await agent.call(
            "remember", text="Ana plays the celo", category="hobby", expires_at="2030-01-01T00:00:00Z"
        )
        told = await agent.call("revise_memory", id=kept["id"], text="Ana plays the cello", clear=["expires_at"])
        assert (told["memory"]["text"], told["memory"]["category"]) == ("Ana plays the cello", "hobby")
        assert "expires_at" not in told["memory"]
        stale = await agent.refused("revise_memory", id=kept["id"], importance=9, expect_revision=1)
        both = await agent.refused("revise_memory", id=kept["id"], category="x", clear=["category"])
    assert "is at revision 2, not 1" in stale
    assert "clear: names category" in both


async def test_the_history_tells_what_changed(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        kept = await agent.call("remember", text="Ana plays the celo")
        await agent.call("revise_memory", id=kept["id"], text="Ana plays the cello")
        told = await agent.call("get_memory", id=kept["id"], part="history")
        text = await agent.text("get_memory", id=kept["id"], part="history")
    assert [change["kind"] for change in told["history"]] == ["created", "revised"]
    assert "text Ana plays the celo → Ana plays the cello" in text


async def test_statistics_count_the_scope_and_nothing_else(server: MnemicServer, mind: Mind) -> None:
    mind.remember("Bo sails", user="bo", category="secret")
    async with agent_of(server) as agent:
        await agent.call("remember", text="Ana sings", category="hobby")
        told = await agent.call("memory_stats")
    assert told == {
        "scope": {"user": "ana"},
        "memories": 1,
        "ended": 0,
        "by_tier": {"long_term": 1},
        "by_category": {"hobby": 1},
        "by_source": {"mcp": 1},
    }


async def test_statistics_name_the_most_frequent_categories(server: MnemicServer, mind: Mind) -> None:
    mind.remember_many([{"text": f"note {n}", "user": "ana", "category": f"kind {n % 60}"} for n in range(61)])
    async with agent_of(server) as agent:
        named = (await agent.call("memory_stats"))["by_category"]
    assert (len(named), named["kind 0"]) == (50, 2)


async def pages(agent: Agent, tool: str, /, **arguments: Any) -> list[dict[str, Any]]:
    """Follow the cursors of a tool to the end, each page within its budget."""
    found = [await agent.call(tool, **arguments)]
    while "next_cursor" in found[-1]:
        found.append(await agent.call(tool, **arguments, cursor=found[-1]["next_cursor"]))
    if found[1:]:
        assert f'call again with cursor "{found[0]["next_cursor"]}"' in await agent.text(tool, **arguments)
    for page in found:
        assert tokens(json.dumps(page, ensure_ascii=False)) <= arguments["budget"]
    return found


@pytest.mark.parametrize(
    ("tool", "arguments"), [("list_memories", {}), ("recall", {"query": "note about rain", "limit": 40})]
)
async def test_pages_hold_everything_once(
    server: MnemicServer, mind: Mind, tool: str, arguments: dict[str, Any]
) -> None:
    mind.remember_many([{"text": f"note {n} about rain, {'x' * n}", "user": "ana"} for n in range(40)])
    async with agent_of(server) as agent:
        found = await pages(agent, tool, budget=800, **arguments)
    ids = [memory["id"] for page in found for memory in page["memories"]]
    assert len(found) > 3
    assert len(ids) == len(set(ids)) == 40


@pytest.mark.parametrize("text", ["word " * 5_000, "語" * 3_000, "a\n" * 2_000 + "end"])
async def test_a_long_text_is_shortened_in_lists_and_complete_in_pages(
    server: MnemicServer, mind: Mind, text: str
) -> None:
    id = mind.remember(text, user="ana").memory.id
    async with agent_of(server) as agent:
        (listed,) = (await agent.call("list_memories", budget=1000))["memories"]
        found = await pages(agent, "get_memory", id=id, budget=1000)
    assert listed["shortened"] == ["text"]
    assert text.startswith(listed["text"])
    assert len(listed["text"]) < len(text)
    assert "".join(page["memory"]["text"] for page in found) == text


async def test_metadata_too_large_for_the_budget_is_named(server: MnemicServer, mind: Mind) -> None:
    id = mind.remember("Ana counts", user="ana", metadata={str(n): n for n in range(2_000)}).memory.id
    async with agent_of(server) as agent:
        small = (await agent.call("get_memory", id=id, budget=1000))["memory"]
        large = (await agent.call("get_memory", id=id, budget=50_000))["memory"]
        await pages(agent, "get_memory", id=id, part="history", budget=1000)
    assert (small["shortened"], "metadata" in small) == (["metadata"], False)
    assert large["metadata"]["1999"] == 1999


async def test_a_wrong_cursor_is_refused(server: MnemicServer) -> None:
    calls: dict[str, dict[str, Any]] = {"recall": {"query": "a"}, "list_memories": {}, "reflect": {}}
    async with agent_of(server) as agent:
        for tool, arguments in calls.items():
            for cursor in ("", "x", "-1", "１", "9" * 30):
                assert "cursor: must be the next_cursor" in await agent.refused(tool, cursor=cursor, **arguments)
