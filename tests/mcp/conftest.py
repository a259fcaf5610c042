from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.mcp.agents import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemic import Mind
    from mnemic.mcp.server import MnemicServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def server(mind: Mind, tmp_path: Path) -> Iterator[MnemicServer]:
    """Serve the memories of Ana."""
    with serving(mind, tmp_path, user="ana") as server:
        yield server
