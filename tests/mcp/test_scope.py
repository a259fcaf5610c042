from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.agents import agent_for, agent_of

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic import Mind
    from mnemic.mcp.server import MnemicServer

pytestmark = pytest.mark.anyio

BY_ID: list[tuple[str, dict[str, Any]]] = [
    ("get_memory", {}),
    ("get_memory", {"part": "history"}),
    ("revise_memory", {"importance": 9}),
    ("forget", {"confirm": True}),
]


@pytest.mark.parametrize("owner", [{"user": "bo"}, {"agent": "ana"}, {}, {"session": "ana"}])
async def test_a_memory_outside_the_scope_is_not_there(server: MnemicServer, mind: Mind, owner: dict[str, str]) -> None:
    other = mind.remember("Bo keeps a secret", **owner).memory
    async with agent_of(server) as agent:
        for tool, arguments in BY_ID:
            assert f"no memory {other.id}" in await agent.refused(tool, id=other.id, **arguments)
        assert f"no memory {other.id}" in await agent.refused("remember", text="It changed", supersedes=other.id)
        with pytest.raises(MCPError, match="no memory"):
            await agent.client.read_resource(f"mnemic://memory/{other.id}")
    assert mind.get(other.id) == other
    assert mind.count(everywhere=True) == 1


async def test_a_server_for_no_one_sees_no_one_elses_memories(mind: Mind, tmp_path: Path) -> None:
    other = mind.remember("Bo keeps a secret", user="bo").memory
    async with agent_for(mind, tmp_path) as agent:
        for tool, arguments in BY_ID:
            assert "no memory" in await agent.refused(tool, id=other.id, **arguments)
        assert not (await agent.call("forget", where={"text": {"contains": "secret"}}, confirm=True))["forgotten"]
        assert (await agent.call("list_memories"))["memories"] == []
    assert mind.get(other.id) == other


async def test_what_others_forgot_cannot_be_restored(server: MnemicServer, mind: Mind) -> None:
    other = mind.remember("Bo keeps a secret", user="bo").memory
    mind.forget(other.id)
    async with agent_of(server) as agent:
        assert "no memory" in await agent.refused("restore_memory", ids=[other.id])
        assert "no memory" in await agent.refused("get_memory", id=other.id, part="history")
    assert mind.count(everywhere=True) == 0


@pytest.mark.parametrize(
    "where", [{"user": "bo"}, {"not": {"user": "ana"}}, {"or": [{"user": "bo"}, {"tier": "working"}]}]
)
async def test_a_filter_does_not_widen_the_scope(server: MnemicServer, mind: Mind, where: dict[str, Any]) -> None:
    mind.remember("Bo keeps a secret", user="bo")
    async with agent_of(server) as agent:
        assert (await agent.call("list_memories", where=where))["memories"] == []
        assert (await agent.call("recall", query="secret", where=where))["memories"] == []
        assert (await agent.call("forget", where=where, confirm=True))["ids"] == []
    assert mind.count(user="bo") == 1


async def test_a_call_cannot_name_a_scope(server: MnemicServer) -> None:
    async with agent_of(server) as agent:
        for key in ("user", "agent", "session", "everywhere", "scope", "_meta"):
            for tool, arguments in (("remember", {"text": "x"}), ("recall", {"query": "x"}), ("list_memories", {})):
                assert f"{key}: is not an argument of {tool}" in await agent.refused(tool, **arguments, **{key: "bo"})


async def test_what_is_remembered_belongs_to_the_scope(mind: Mind, tmp_path: Path) -> None:
    async with agent_for(mind, tmp_path, agent="claude", user="ana", session="s1") as agent:
        id = (await agent.call("remember", text="Ana plays the cello"))["id"]
    scope = mind.get(id).scope
    assert (scope.agent, scope.user, scope.session) == ("claude", "ana", "s1")


async def test_each_scope_has_a_tree_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mnemic import wiring
    from mnemic.model.scope import Scope

    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path))
    scopes = [
        Scope(),
        Scope(agent="a"),
        Scope(user="a"),
        Scope(agent="A"),
        Scope("a", "b"),
        Scope("a-b"),
        Scope("../x"),
    ]
    folders = [wiring.experience_folder_of(scope) for scope in scopes]
    assert len(set(map(str.lower, map(str, folders)))) == len(scopes)
    assert all(folder.resolve().is_relative_to(tmp_path.resolve()) for folder in folders)
    assert folders[0] == wiring.experience_folder()
