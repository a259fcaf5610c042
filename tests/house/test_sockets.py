"""The library and the command line open no network connection."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

REFUSE_SOCKETS = """
import sys

def refuse(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"opened a socket: {event}")

sys.addaudithook(refuse)
"""

TOUR = """
from mnemic import Mind

with Mind("mind") as mind:
    old = mind.remember("Ana lives in Porto", user="ana", occurred_at="2024-05-01").memory
    new = mind.remember("Ana lives in Lisbon", user="ana", occurred_at="2026-03-01").memory
    mind.remember_many([{"text": "Bo sails"}, {"text": "Bo sings"}])
    mind.supersede(old.id, new.id)
    mind.unsupersede(old.id)
    mind.revise(new.id, importance=9)
    mind.link(old.id, new.id, "before")
    mind.links(new.id)
    mind.unlink(old.id, new.id, "before")
    assert mind.recall("where does Ana live", user="ana")
    assert mind.context("lives", user="ana", budget=200)
    mind.explain("lives", new.id, user="ana")
    mind.get(new.id), mind.history(new.id), mind.count(), mind.tally("user", everywhere=True), mind.stats()
    [list(page) for page in mind.pages(everywhere=True)]
    mind.backup("copy.db")
    assert all(finding.ok for finding in mind.doctor(mend=True))
    mind.forget(old.id)
    with Mind(":memory:") as other:
        other.adopt(mind.records(everywhere=True))
    mind.forget(everything=True, purge=True)
"""

COMMANDS = (
    ["remember", "Ana lives in Lisbon", "--user", "ana"],
    ["recall", "where does Ana live", "--user", "ana"],
    ["list", "--user", "ana", "--json"],
    ["stats"],
    ["doctor"],
    ["export", "memories.jsonl"],
    ["import", "memories.jsonl"],
    ["backup", "copy.db"],
    ["restore", "copy.db", "--replace"],
    ["forget", "--user", "ana", "--purge", "--yes"],
)


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program where opening a socket is an error."""
    command = [sys.executable, "-c", REFUSE_SOCKETS + program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_a_socket_is_refused(tmp_path: Path) -> None:
    assert "opened a socket: socket.__new__" in run("import socket; socket.socket()", tmp_path).stderr


def test_a_mind_opens_no_socket(tmp_path: Path) -> None:
    assert run(TOUR, tmp_path).stderr == ""


def test_the_command_line_opens_no_socket(tmp_path: Path) -> None:
    for arguments in COMMANDS:
        ran = run(f"from mnemic.cli import run; sys.exit(run(['--mind', 'mind', *{arguments!r}]))", tmp_path)
        assert ran.returncode == 0, f"{arguments}: {ran.stderr}"
