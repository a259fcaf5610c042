"""The official conformance suite against the server as it is served over HTTP."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.mcp import http as web
from tests.mcp.serving_http import TOKEN, listening

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from mnemic.mcp.server import MnemicServer

ROOT = Path(__file__).parents[2]
KNOWN = tomllib.loads((Path(__file__).parent / "conformance.toml").read_text(encoding="utf-8"))


def with_token(app: ASGIApp) -> ASGIApp:
    """Add the token to every request, which the suite cannot."""

    async def shown(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]}
        await app(scope, receive, send)

    return shown


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """Return the command that runs the suite."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not here, which brings the conformance suite")
    installed = subprocess.run([ROOT / "tools" / "conformance"], stdout=subprocess.PIPE, text=True, check=True)
    return installed.stdout.split()


@pytest.mark.slow
def test_every_scenario_that_fits_passes(server: MnemicServer, suite: list[str], tmp_path: Path) -> None:
    with listening(with_token(web.app(server, token=TOKEN))) as url:
        subprocess.run(
            [*suite, "server", "--url", url, "--suite", "all", "--output-dir", tmp_path / "checks"],
            stdout=subprocess.DEVNULL,
            timeout=600,
        )
    found = dict(scenario(folder) for folder in (tmp_path / "checks").iterdir())
    assert found.keys() == {*KNOWN["gated"], *KNOWN["excluded"]}
    wrong = {
        name: failed
        for name in KNOWN["gated"]
        if (
            failed := [check for check in found[name] if check["status"] == "FAILURE" and check["id"] not in excepted()]
        )
    }
    assert wrong == {}
    assert all(any(check["status"] == "SUCCESS" for check in found[name]) for name in KNOWN["gated"])


def scenario(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return the name of a scenario and its checks."""
    name = folder.name.removeprefix("server-")[: -len("-2026-11-16T04-17-33-373Z")]
    return name, json.loads((folder / "checks.json").read_text(encoding="utf-8"))


def excepted() -> set[str]:
    return set(KNOWN["checks"])


def test_no_scenario_is_both_gated_and_excluded() -> None:
    assert not set(KNOWN["gated"]) & set(KNOWN["excluded"])
    assert all(KNOWN["excluded"].values())
