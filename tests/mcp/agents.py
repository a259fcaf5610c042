"""Agents that call the server as a client does."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from mcp import Client

from mnemic.core.scoped import ScopedMind
from mnemic.mcp.experience_tools import LazyEngine
from mnemic.mcp.server import MnemicServer, build
from mnemic.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from mnemic import Mind

ERAS = ("legacy", "2026-07-28")
"""The protocol with a handshake (until 2025-11-25) and without."""


class Agent:
    """An MCP client that checks whether its calls succeed."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the value of a call that must succeed."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        value: dict[str, Any] | None = result.structured_content
        assert value is not None
        return value

    async def text(self, tool: str, /, **arguments: Any) -> str:
        """Return what the model reads of a call that must succeed."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return read(result)

    async def refused(self, tool: str, /, **arguments: Any) -> str:
        """Return what the model reads of a call that must be refused."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        return read(result)


def read(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


@contextmanager
def serving(mind: Mind, folder: Path, **scope: str) -> Iterator[MnemicServer]:
    """Yield a server for a scope, and close its tree afterwards."""
    tree = LazyEngine(folder / "experience")
    yield build(ScopedMind(mind, Scope.of(**scope)), tree)
    tree.close()


@asynccontextmanager
async def agent_of(server: MnemicServer, *, era: str = "2026-07-28", **callbacks: Any) -> AsyncIterator[Agent]:
    """Connect an agent in this process."""
    async with Client(server, mode=era, **callbacks) as client:
        yield Agent(client)


@asynccontextmanager
async def agent_for(mind: Mind, folder: Path, **scope: str) -> AsyncIterator[Agent]:
    """Connect an agent to a server of its own."""
    with serving(mind, folder, **scope) as server:
        async with agent_of(server) as agent:
            yield agent
