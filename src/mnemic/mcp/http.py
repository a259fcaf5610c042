"""The server over streamable HTTP, protected by a token and by checks of Host and Origin."""

from __future__ import annotations

import hmac
import socket
from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings

from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
MAX_PORT = 65535
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class TokenGuard:
    """A web application that passes on only requests with the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 401."""
        if scope["type"] != "lifespan" and not self._has_token(scope):
            from starlette.responses import JSONResponse

            problem = {"error": "the header Authorization: Bearer TOKEN is missing, or its token is wrong"}
            await JSONResponse(problem, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _has_token(self, scope: Scope) -> bool:
        headers = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(headers) != 1:
            return False
        scheme, _, token = headers[0].partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token, self._token)


def app(server: MCPServer, *, token: str, hosts: Sequence[str] = ()) -> ASGIApp:
    """Return the server as a web application; `hosts` are further host names that requests may use."""
    names = [*LOOPBACK, *hosts]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[pattern for name in names for pattern in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{pattern}" for name in names for scheme in ("http", "https") for pattern in (name, f"{name}:*")
        ],
    )
    return TokenGuard(server.streamable_http_app(streamable_http_path=PATH, transport_security=security), token)


def listen(host: str, port: int) -> socket.socket:
    """Open the socket to serve on; port 0 is any free port."""
    if not 0 <= port <= MAX_PORT:
        raise InvalidInput("port", f"must be between 0 and {MAX_PORT}, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InvalidInput("port", f"{port} on {host} cannot be used: {error.strerror}; choose another") from None


def url(listening: socket.socket) -> str:
    """Return the address that clients use."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def serve(application: ASGIApp, listening: socket.socket) -> None:
    """Serve until interrupted."""
    import uvicorn

    config = uvicorn.Config(application, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=3)
    uvicorn.Server(config).run(sockets=[listening])
