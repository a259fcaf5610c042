from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from mnemic import Mind, wiring
from tests.mcp.agents import ERAS, Agent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MNEMIC = Path(sys.executable).with_name("mnemic")
PING = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}


def call(id: int, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a call as it is written since 2026-07-28, without a handshake."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    }


def started(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [MNEMIC, "--mind", folder / "mind", "mcp", "--user", "ana", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"MNEMIC_HOME": str(folder / "home")},
    )


@asynccontextmanager
async def agent_on(folder: Path, *, era: str = "2026-07-28") -> AsyncIterator[Agent]:
    server = StdioServerParameters(
        command=str(MNEMIC),
        args=["--mind", str(folder / "mind"), "mcp", "--user", "ana"],
        env={"MNEMIC_HOME": str(folder / "home")},
    )
    async with Client(stdio_client(server), mode=era) as client:
        yield Agent(client)


def test_whatever_is_written_to_it_the_server_answers_in_json_and_goes_on(tmp_path: Path) -> None:
    deep = '{"not": ' * 3_000 + "1" + "}" * 3_000
    lines = [
        "not json",
        "[]",
        "null",
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 5}',
        json.dumps(call(2, "recall", query="\ud800")),
        json.dumps(call(3, "recall", query="x", where="WHERE")).replace('"WHERE"', deep),
        json.dumps(call(4, "recall", query="x", limit=5)).replace(": 5", ": NaN"),
        json.dumps(call(5, "remember", text="Ana plays the cello")),
        json.dumps(call(6, "recall", query="cello")),
        json.dumps(call(7, "recall", **{"\ud800": 1})),
        json.dumps(call(8, "\ud800")),
    ]
    server = started(tmp_path)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("\n".join(lines) + "\n")
    server.stdin.flush()
    answers: dict[Any, dict[str, Any]] = {}
    while not {None, *range(1, 9)} <= answers.keys():
        answer = json.loads(server.stdout.readline())
        answers[answer.get("id")] = answer
    out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (0, ""), err
    assert all(answers[id]["error"]["message"] for id in (None, 1, 3))
    assert all(answers[id]["result"]["isError"] for id in (2, 4, 7, 8))
    assert answers[5]["result"]["structuredContent"]["created"]
    assert "result" in answers[6]
    assert "Traceback" not in err


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_a_signal_ends_it(tmp_path: Path, end: signal.Signals) -> None:
    server = started(tmp_path)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(call(1, "memory_stats")) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    server.send_signal(end)
    assert server.wait(timeout=30) in (-end, 130)
    server.communicate()
    with Mind(tmp_path / "mind") as mind:
        assert all(finding.ok for finding in mind.doctor())


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_remembers_and_recalls_over_stdio(tmp_path: Path, era: str) -> None:
    async with agent_on(tmp_path, era=era) as agent:
        await agent.call("remember", text="Ana plays the cello")
        (found,) = (await agent.call("recall", query="cello"))["memories"]
        filed = await agent.call("remember_experience", content="Tuned it", outcome="success", tool="conversation")
    assert found["text"] == "Ana plays the cello"
    assert list((tmp_path / "home" / "experiences").glob(f"ana-*/{filed['path']}"))


@pytest.mark.slow
@pytest.mark.anyio
async def test_sixteen_servers_share_one_mind(tmp_path: Path) -> None:
    async def work(number: int) -> None:
        async with agent_on(tmp_path, era=ERAS[number % 2]) as agent:
            for turn in range(5):
                await agent.call("remember", text=f"Agent {number} noted number {turn}")
            assert (await agent.call("recall", query=f"Agent {number} noted"))["memories"]

    async with anyio.create_task_group() as agents:
        for number in range(16):
            agents.start_soon(work, number)
    with Mind(tmp_path / "mind") as mind:
        assert mind.count(user="ana") == 80
        assert all(finding.ok for finding in mind.doctor())


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_client_that_dies(tmp_path: Path) -> None:
    server = started(tmp_path)
    assert server.stdin is not None
    assert server.stdout is not None
    for number in range(50):
        server.stdin.write(json.dumps(call(number, "remember", text=f"note {number}")) + "\n")
    server.stdin.flush()
    acknowledged = json.loads(server.stdout.readline())["result"]["structuredContent"]["id"]
    server.stdout.close()
    server.stdin.close()
    assert server.wait(timeout=60) is not None
    with Mind(tmp_path / "mind") as mind:
        assert mind.get(acknowledged).text.startswith("note")
        assert all(finding.ok for finding in mind.doctor())
    assert server.stderr is not None
    server.stderr.close()


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_mind_that_is_restored_meanwhile_is_served_as_it_is_then(tmp_path: Path) -> None:
    with Mind(tmp_path / "mind") as mind:
        mind.remember("Ana plays the cello", user="ana")
        mind.backup(tmp_path / "copy.db")
        mind.remember("Ana sold the cello", user="ana")
    async with agent_on(tmp_path) as agent:
        assert (await agent.call("memory_stats"))["memories"] == 2
        await anyio.to_thread.run_sync(lambda: wiring.restore(tmp_path / "copy.db", tmp_path / "mind", replace=True))
        results = [await agent.client.call_tool("memory_stats", {}) for _ in range(3)]
        for result in results:
            assert result.is_error or (result.structured_content or {})["memories"] == 1
        kept = await agent.call("remember", text="Ana plays the viola")
    with Mind(tmp_path / "mind") as mind:
        assert mind.get(kept["id"]).text == "Ana plays the viola"
