from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.mcp.agents import server_of

if TYPE_CHECKING:
    from pathlib import Path

    from recollect import Mind
    from recollect.mcp.server import RecollectServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def server(mind: Mind, tmp_path: Path) -> RecollectServer:
    """Serve the memories of Ana."""
    return server_of(mind, tmp_path, user="ana")
