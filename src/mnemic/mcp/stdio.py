"""Messages over stdio; one that cannot be parsed is answered with an error."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

if TYPE_CHECKING:
    import contextvars
    from types import TracebackType

_ID = re.compile(r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")')


class AnsweringStream:
    """A stream of messages that answers those which the SDK would drop silently."""

    def __init__(self, read: Any, write: Any) -> None:  # noqa: ANN401 - the SDK's streams have no public type
        self._read = read
        self._write = write

    @property
    def last_context(self) -> contextvars.Context | None:
        """Return the context in which the last message was sent."""
        context: contextvars.Context | None = self._read.last_context
        return context

    async def receive(self) -> SessionMessage:
        """Return the next message that can be read."""
        while isinstance(item := await self._read.receive(), Exception):
            message = _parsed(item)
            if message is not None:
                return message
            await self._write.send(SessionMessage(_refusal(item)))
        read: SessionMessage = item
        return read

    def __aiter__(self) -> AnsweringStream:
        return self

    async def __anext__(self) -> SessionMessage:
        from anyio import EndOfStream

        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Read no more."""
        await self._read.aclose()

    async def __aenter__(self) -> AnsweringStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _parsed(error: Exception) -> SessionMessage | None:
    """Parse a message with a lone surrogate, which the SDK cannot, so that its arguments are refused by name."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(json.loads(_raw(error)), by_name=False))
    except (ValueError, RecursionError):
        return None


def _refusal(error: Exception) -> JSONRPCError:
    id = _ID.search(_raw(error))
    return JSONRPCError(
        jsonrpc="2.0",
        id=json.loads(id[1]) if id else None,
        error=ErrorData(code=PARSE_ERROR, message="the message cannot be read as JSON-RPC, or is nested too deeply"),
    )


def _raw(error: Exception) -> str:
    """Return the line that could not be parsed."""
    inputs = [problem["input"] for problem in error.errors()] if isinstance(error, ValidationError) else []
    lines = [part if isinstance(part, str) else json.dumps(part) for part in inputs if isinstance(part, (str, dict))]
    return max(lines, key=len, default="")
