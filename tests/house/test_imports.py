"""What importing the package loads: little, and nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    *("numpy", "typer", "click", "rich", "pygments", "pydantic", "platformdirs"),
    *("http", "ssl", "socket", "asyncio", "email", "urllib.request"),
    *("httpx", "httpx2", "requests", "urllib3", "aiohttp", "fastapi", "starlette", "uvicorn", "jinja2"),
    *("onnxruntime", "tokenizers", "torch", "pydantic_ai", "mcp"),
}


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a statement adds to a bare interpreter."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    command = [sys.executable, "-c", program]
    return set(subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())


def test_importing_the_package_loads_nothing_but_the_package() -> None:
    needed = loaded_by("import __future__, importlib, typing, warnings")
    assert loaded_by("import mnemic") - needed == {"mnemic"}


@pytest.mark.parametrize("statement", ["from mnemic import Mind", "from mnemic import Mind; Mind(':memory:')"])
def test_a_mind_loads_nothing_heavy(statement: str) -> None:
    loaded = loaded_by(statement)
    assert "mnemic.mind" in loaded
    assert loaded & HEAVY == set()


def test_the_agent_doors_load_nothing_heavy_but_the_event_loop() -> None:
    doors = "Agent, ConversationMemory, MemoryManager, MemoryTools, PersistentMemory"
    loaded = loaded_by(f"import asyncio; before = set(sys.modules); from mnemic import {doors}")
    assert "mnemic.agent.persistent" in loaded
    assert loaded & (HEAVY | {"mem0", "qdrant_client"}) == set()


def test_a_mind_loads_one_package_from_elsewhere() -> None:
    elsewhere = {name.split(".")[0] for name in loaded_by("from mnemic import Mind")} - sys.stdlib_module_names
    assert {name for name in elsewhere if not name.startswith(("_", "cython"))} == {"mnemic", "Stemmer"}


def test_the_command_line_starts_without_the_servers_packages() -> None:
    loaded = loaded_by("from mnemic.cli.app import app")
    assert "mnemic.cli.mcp" in loaded
    assert loaded & {"mcp", "mcp_types", "pydantic", "starlette", "uvicorn", "numpy", "asyncio"} == set()
