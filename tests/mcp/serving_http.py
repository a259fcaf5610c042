"""A web application on a free port of this machine."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from mnemic.mcp import http as web

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

TOKEN = "a-token-for-the-tests"  # noqa: S105


@contextmanager
def listening(app: ASGIApp) -> Iterator[str]:
    """Serve an application, and return its address."""
    socket = web.listen("127.0.0.1", 0)
    running = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [socket]})
    thread.start()
    try:
        yield web.url(socket)
    finally:
        running.should_exit = True
        thread.join()
        socket.close()
