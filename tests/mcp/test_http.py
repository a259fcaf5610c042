from __future__ import annotations

import http.client
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mnemic import Mind
from mnemic.errors import InvalidInput
from mnemic.mcp import http as web
from tests.mcp.agents import ERAS, Agent, serving
from tests.mcp.serving_http import TOKEN, listening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from mnemic.mcp.server import MnemicServer

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def url(server: MnemicServer) -> Iterator[str]:
    with listening(web.app(server, token=TOKEN)) as url:
        yield url


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a mind that is only asked for what it refuses."""
    with (
        Mind(":memory:") as mind,
        serving(mind, tmp_path_factory.mktemp("refusing")) as server,
        listening(web.app(server, token=TOKEN)) as url,
    ):
        yield url


@asynccontextmanager
async def agent_at(url: str, *, era: str = "2026-07-28", token: str = TOKEN) -> AsyncIterator[Agent]:
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as client,
        Client(streamable_http_client(url, http_client=client), mode=era) as connected,
    ):
        yield Agent(connected)


def post(url: str, *, body: bytes = json.dumps(INITIALIZE).encode(), **headers: str) -> tuple[int, str]:
    """Send one request as anyone could, and return its status and its body."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        given = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", urlsplit(url).path, body, {name: value for name, value in given.items() if value})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_remembers_and_recalls_over_http(url: str, era: str) -> None:
    async with agent_at(url, era=era) as agent:
        await agent.call("remember", text="Ana plays the cello")
        (found,) = (await agent.call("recall", query="cello"))["memories"]
    assert found["text"] == "Ana plays the cello"


@pytest.mark.parametrize(
    "shown", ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"bearer{TOKEN}", f"Basic {TOKEN}", TOKEN, "Bearer é" * 3]
)
def test_a_missing_or_wrong_token_is_refused(refusing: str, shown: str) -> None:
    status, body = post(refusing, Authorization=shown.encode().decode("latin-1"))
    assert status == 401
    assert "Authorization" in body
    assert TOKEN not in body


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_right_token_is_let_in(refusing: str, scheme: str) -> None:
    status, body = post(refusing, Authorization=f"{scheme} {TOKEN}")
    assert status == 200
    assert "mnemic" in body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1"]
)
def test_a_foreign_host_is_refused(refusing: str, host: str) -> None:
    assert post(refusing, Host=host)[0] == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1.evil.example", "null"])
def test_a_foreign_origin_is_refused(refusing: str, origin: str) -> None:
    assert post(refusing, Origin=origin)[0] == 403


def test_a_name_that_was_allowed_is_let_in(server: MnemicServer) -> None:
    with listening(web.app(server, token=TOKEN, hosts=["memory.example"])) as url:
        assert post(url, Host="memory.example")[0] == 200
        assert post(url, Host="memory.example", Origin="https://memory.example")[0] == 200
        assert post(url, Host="other.example")[0] == 421


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b"[" * 5_000])
def test_a_body_that_is_no_message_is_refused(refusing: str, body: bytes) -> None:
    assert 400 <= post(refusing, body=body)[0] < 500
    assert post(refusing)[0] == 200


@pytest.mark.anyio
async def test_sixteen_agents_work_at_once(url: str, mind: Mind) -> None:
    async def work(number: int) -> None:
        async with agent_at(url, era=ERAS[number % 2]) as agent:
            for turn in range(3):
                await agent.call("remember", text=f"Agent {number} noted number {turn}")
            found = await agent.call("recall", query=f"Agent {number} noted", limit=50)
            assert any(f"Agent {number} " in memory["text"] for memory in found["memories"])

    async with anyio.create_task_group() as agents:
        for number in range(16):
            agents.start_soon(work, number)
    assert mind.count(user="ana") == 48
    assert all(finding.ok for finding in mind.doctor())


@pytest.mark.anyio
async def test_a_client_that_dies_in_the_middle_disturbs_no_one(url: str) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "x"}},
    }
    body = json.dumps(call).encode()
    for cut in (len(body), len(body) // 2):
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        connection.putrequest("POST", "/mcp")
        connection.putheader("Authorization", f"Bearer {TOKEN}")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Accept", "application/json, text/event-stream")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body[:cut])
        connection.close()
    async with agent_at(url) as agent:
        assert (await agent.call("remember", text="Ana plays the cello"))["created"]


def test_a_port_that_is_taken_is_named() -> None:
    with web.listen("127.0.0.1", 0) as taken, pytest.raises(InvalidInput, match=r"port: \d+ on 127.0.0.1 cannot"):
        web.listen("127.0.0.1", taken.getsockname()[1])
