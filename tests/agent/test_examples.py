"""The examples run, offline."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str, home: Path, stdin: str = "") -> str:
    """Run an example in a home of its own, and return what it printed."""
    unset = {"MNEMIC_MIND", "MNEMIC_LLM", "MNEMIC_EMBEDDER"}
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    ran = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        env=environment | {"MNEMIC_HOME": str(home)},
        input=stdin,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return ran.stdout


def test_the_framework_remembers_for_the_agent(tmp_path: Path) -> None:
    first, second, _ = run("agent_with_memory.py", home=tmp_path).split("--\n")
    assert "guide: Tell me more." in first
    assert "I live in Lisbon" in second.partition("guide:")[2]
    assert "allergic to peanuts" in second.partition("What am I allergic to?")[2]


def test_the_agent_remembers_with_tools(tmp_path: Path) -> None:
    printed = run("agent_with_tools.py", home=tmp_path)
    assert "[save_to_memory" in printed
    assert "helper: I remember: The user said: My birthday is on March 15." in printed


def test_a_chat_goes_on_after_a_restart(tmp_path: Path) -> None:
    run("chat.py", home=tmp_path, stdin="My name is Ana and I live in Lisbon\n")
    again = run("chat.py", home=tmp_path, stdin="Where do I live?\n")
    assert again.startswith("(continuing after 2 messages)")
    assert "I live in Lisbon" in again
    assert "I live in Lisbon" in run("chat.py", "another", home=tmp_path, stdin="Where do I live?\n")


def test_every_example_is_run() -> None:
    run_here = Path(__file__).read_text()
    assert [file.name for file in EXAMPLES.glob("*.py") if f'"{file.name}"' not in run_here] == []
