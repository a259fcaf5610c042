"""`mnemic mcp` as a person or a client starts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from mnemic import Mind

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
MNEMIC = BIN / "mnemic"


def environment(folder: Path) -> dict[str, str]:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"MNEMIC_HOME": str(folder / "home"), "PATH": path}


def hooks() -> dict[str, str]:
    """Return the commands of the recipe for Claude Code, by the event that runs them."""
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return {event: ran[0]["hooks"][0]["command"] for event, ran in json.loads(block)["hooks"].items()}


@pytest.mark.slow
def test_the_hooks_remember_at_the_end_and_recall_at_the_start(tmp_path: Path) -> None:
    transcript = tmp_path / "a transcript.jsonl"
    turns = [
        {"type": "user", "message": {"content": "Please pick a database"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Let me look."}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Read"}]}},
        {
            "type": "assistant",
            "message": {"content": [{"type": "text", "text": "We decided on SQLite in this project."}]},
        },
        {"type": "summary", "summary": "x"},
    ]
    transcript.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    given = {"SessionEnd": json.dumps({"transcript_path": str(transcript)}), "SessionStart": "{}"}
    printed = {}
    for event in ("SessionEnd", "SessionStart"):
        ran = subprocess.run(
            ["sh", "-c", hooks()[event]],
            input=given[event],
            capture_output=True,
            text=True,
            env=environment(tmp_path),
        )
        assert ran.returncode == 0, ran.stderr
        printed[event] = ran.stdout
    assert "We decided on SQLite in this project." in printed["SessionStart"]
    assert "Let me look" not in printed["SessionStart"]
    assert printed["SessionStart"].startswith("<memories>")


@pytest.mark.slow
def test_http_is_served_with_the_token_of_the_file(tmp_path: Path) -> None:
    command = [MNEMIC, "--mind", tmp_path / "mind", "mcp", "--http", "--port", "0", "--agent", "a"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(tmp_path)
    ) as server:
        assert server.stderr is not None
        told = server.stderr.readline()
        url, file = re.findall(r"Serving (\S+); the token is in (.+)", told)[0]
        token = Path(file).read_text().strip()
        assert (Path(file), Path(file).stat().st_mode & 0o777) == (tmp_path / "home" / "mcp-token", 0o600)
        assert token not in told
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(url)  # noqa: S310 - on this machine
        allowed = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310
        with pytest.raises(urllib.error.HTTPError, match=r"40[056]"):
            urllib.request.urlopen(allowed)  # noqa: S310
        server.terminate()
        out, err = server.communicate(timeout=30)
    assert (out, err) == ("", "")
    with Mind(tmp_path / "mind") as mind:
        assert mind.count(agent="a") == 0


@pytest.mark.slow
def test_a_weak_token_in_the_environment_is_refused(tmp_path: Path) -> None:
    given = environment(tmp_path) | {"MNEMIC_MCP_TOKEN": "guess"}
    ran = subprocess.run([MNEMIC, "mcp", "--http", "--port", "0"], env=given, capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: MNEMIC_MCP_TOKEN: must be at least 16")


def test_without_its_packages_the_server_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['mcp_types'] = None; from mnemic.cli import run; sys.exit(run(['mcp']))"
    ran = subprocess.run([sys.executable, "-c", program], env=environment(tmp_path), capture_output=True, text=True)
    assert ran.returncode == 1
    assert "pip install '.[mcp]'" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
