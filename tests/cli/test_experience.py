"""mnemic experience"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mnemic.experience.routes import ROUTES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Mnemic

FAILURE = ("--outcome", "failure", "--tool", "code_interpreter", "--key", "error_type=runtime")


def test_remembered_and_recalled_by_meaning_route_and_time(mnemic: Mnemic, home: Path) -> None:
    kept = mnemic(
        "experience", "remember", "TypeError without await", *FAILURE, "--metadata", '{"n": 1}', "--json"
    ).object
    assert (home / "experience" / kept["path"]).is_file()
    assert kept["metadata"] == {"n": 1}
    for question in (
        ["missing await"],
        ["--outcome", "failure"],
        ["--key", "error_type=runtime", "--since", "2020-01-01"],
    ):
        assert mnemic("experience", "recall", *question, "--json").object["experience"] == kept
    assert kept["path"] in mnemic("experience", "recall", "await").out


def test_content_is_read_from_stdin_and_the_tree_may_lie_anywhere(mnemic: Mnemic, tmp_path: Path) -> None:
    arguments = ("--root", str(tmp_path / "brain"), "remember", "-", "--outcome", "success", "--tool", "conversation")
    printed = mnemic("experience", *arguments, stdin="From a pipe\n").out.strip()
    assert printed.startswith(str(tmp_path / "brain" / "success" / "conversation"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["remember", "x", "--outcome", "win"],
            "--outcome: must be one of success, failure, learning, interaction, not 'win'",
        ),
        (["remember", "x", "--outcome", "failure"], "--tool: is missing; it must be one of code_interpreter"),
        (["remember", "x", *FAILURE, "--key", "oops"], "--key: must be KEY=VALUE"),
        (["remember", "x", *FAILURE[:4]], "--key error_type: is missing; it must be one of syntax, "),
        (["remember", "x", *FAILURE[:4], "--key", "error_type=x"], "--key error_type: must be one of syntax, "),
        (["recall", "x", "--key", "colour=red"], "there is no tree in"),
        (["--routes", "none.json", "routes"], "--routes: none.json does not exist"),
        (["remember", "x", *FAILURE, "--metadata", '{"content": 1}'], "--metadata: holds content"),
        (["recall", "x"], "no tree in"),
        (["reflect"], "no tree in"),
        (
            ["generate", "--scale", "giant", "--out", "d.jsonl"],
            "--scale: must be small, medium, large, vast or a",
        ),
        (["generate", "--out", "d.csv"], "--out: d.csv must end in"),
        (["validate", "none.jsonl"], "no file none.jsonl"),
        (["--root", " ", "recall"], "--root: is blank"),
    ],
)
def test_an_error_is_one_line_that_names_the_field(mnemic: Mnemic, arguments: list[str], complaint: str) -> None:
    failed = mnemic("experience", *arguments, code=1)
    assert complaint in failed.err
    assert failed.err.count("\n") == 1


def test_a_table_of_ones_own_is_given_as_a_file(mnemic: Mnemic, tmp_path: Path) -> None:
    (tmp_path / "table.json").write_text('{"routes": [{"outcome": "won"}]}')
    (tmp_path / "d.jsonl").write_text('{"content": "Won the race by a nose", "outcome": "won"}\n')
    own = ("experience", "--routes", str(tmp_path / "table.json"))
    assert "1 experience\t0 errors" in mnemic(*own, "validate", str(tmp_path / "d.jsonl")).out
    mnemic(*own, "load", str(tmp_path / "d.jsonl"))
    assert mnemic("experience", "recall", "--json").object["experience"]["outcome"] == "won"
    assert mnemic("experience", "routes", "--json").object == {"outcome": "won"}


def test_the_table_is_printed_and_its_schema(mnemic: Mnemic) -> None:
    assert mnemic("experience", "routes", "--json").objects == ROUTES.to_list()
    assert mnemic("experience", "routes", "--schema").object == ROUTES.schema()
    assert "insight_type\tpattern, correction, preference, fact" in mnemic("experience", "routes").out


def test_a_dataset_is_generated_validated_and_loaded(mnemic: Mnemic, tmp_path: Path) -> None:
    told = mnemic("experience", "generate", "--scale", "small", "--seed", "3", "--out", "d.jsonl").out
    assert "wrote 100 experiences to d.jsonl" in told
    assert "outcome\tsuccess\t61.0 %\t55–65 %\tok" in told
    assert "distinct 100.0%\tdistinct-3 0." in told
    assert mnemic("experience", "validate", "d.jsonl", "--json").object["count"] == 100
    assert mnemic("experience", "load", "d.jsonl", "--json").object["loaded"] == 100
    reflection = mnemic("experience", "reflect", "--json").object
    assert (reflection["total"], reflection["by_outcome"]["success"]) == (100, 61)
    assert "77% of 79 tries succeeded" in mnemic("experience", "reflect").out
    tree = mnemic("experience", "topology").out
    assert "success 61 ██" in tree
    assert mnemic("experience", "topology", "--json").object["total"] == 100
    mnemic("experience", "topology", "--html", "t.html")
    assert "<title>Topology: experience</title>" in (tmp_path / "t.html").read_text()


def test_every_broken_line_is_reported_and_nothing_loaded(mnemic: Mnemic, tmp_path: Path) -> None:
    lines = [{"content": "x", "outcome": "win"}, {"content": "", "outcome": "learning", "insight_type": "fact"}]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, lines)))
    told = mnemic("experience", "validate", "d.jsonl", code=1).out
    assert "error\tline 1: outcome: must be one of" in told
    assert "error\tline 2: content: is blank" in told
    refused = mnemic("experience", "load", "d.jsonl", code=1).err
    assert refused.count("error: line ") == 2
    assert mnemic("experience", "recall", "--json").out == ""


def test_sync_and_verify_report_what_was_done_by_hand(mnemic: Mnemic, home: Path) -> None:
    mnemic("experience", "remember", "Kept", "--outcome", "success", "--tool", "conversation")
    folder = home / "experience" / "success" / "conversation"
    (folder / "by_hand.md").write_text("By hand")
    assert mnemic("experience", "sync").out == "added 1\tchanged 0\tmoved 0\tremoved 0\n"
    assert "✗" not in mnemic("experience", "verify").out
    (folder / "broken.md").write_bytes(b"\xff")
    assert "skipped\tsuccess/conversation/broken.md" in mnemic("experience", "sync", code=1).out
    assert mnemic("experience", "sync", "--rebuild", "--json", code=1).object["added"] == 2
    assert "✗ files" in mnemic("experience", "verify", code=1).out


def test_forgetting_needs_to_be_told_what(mnemic: Mnemic) -> None:
    path = mnemic("experience", "remember", "Kept", "--outcome", "success", "--tool", "conversation").out.strip()
    assert (
        "FILE: is missing; give a FILE, a route such as --outcome, --before, or --everything to empty the tree"
        in mnemic("experience", "forget", code=1).err
    )
    assert "FILE: none.md cannot be in " in mnemic("experience", "forget", "none.md", code=1).err
    assert "--key colour: is not a routing key" in mnemic("experience", "recall", "--key", "colour=x", code=1).err
    assert "QUERY: is blank; give a question" in mnemic("experience", "recall", "", code=1).err
    assert mnemic("experience", "forget", path).out == "forgot 1 experience\n"
    assert "FILE: there is no success/conversation/" in mnemic("experience", "forget", path, code=1).err
    assert mnemic("experience", "recall", "--json").out == ""
