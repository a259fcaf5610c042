"""recollect revise, supersede, unsupersede and forget"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.command import Recollect


@pytest.fixture
def id(recollect: Recollect) -> str:
    """Remember something for Ana."""
    options = ("--user", "ana", "--category", "work", "--tag", "x", "--json")
    found: str = recollect("remember", "Ana works at the aquarium", *options).object["memory"]["id"]
    return found


def test_revise_changes_the_given_fields_and_clears_the_named_ones(recollect: Recollect, id: str) -> None:
    options = ("--text", "-", "--importance", "9", "--clear", "category", "--clear", "tags", "--json")
    memory = recollect("revise", id, *options, stdin="Ana works at the zoo\n").object
    assert (memory["text"], memory["importance"], memory["category"], memory["tags"]) == (
        "Ana works at the zoo",
        9,
        None,
        [],
    )
    assert (memory["user"], memory["revision"]) == ("ana", 2)


def test_revise_refuses_a_lost_update(recollect: Recollect, id: str) -> None:
    recollect("revise", id, "--importance", "9", "--expect", "1")
    failed = recollect("revise", id, "--importance", "2", "--expect", "1", code=1)
    assert "is at revision 2, not 1" in failed.err


@pytest.mark.parametrize("options", [["--clear", "text"], ["--clear", "tags", "--tag", "y"], []])
def test_revise_refuses_what_makes_no_sense(recollect: Recollect, id: str, options: list[str]) -> None:
    assert recollect("revise", id, *options, code=1).err.startswith("error: c")
    assert recollect("show", id, "--json").object["memory"]["revision"] == 1


def test_a_superseded_memory_can_be_opened_again(recollect: Recollect, id: str) -> None:
    new = recollect("remember", "Ana works at the zoo", "--user", "ana", "--json").object["memory"]["id"]
    closed = recollect("supersede", id, new, "--at", "2030-01-01", "--json").object
    assert (closed["superseded_by"], closed["superseded_at"]) == (new, "2030-01-01")
    assert recollect("unsupersede", id, "--json").object["superseded_by"] is None


def test_forgetting_by_id_needs_no_confirmation(recollect: Recollect, id: str) -> None:
    assert recollect("forget", id).out == "forgot 1 memory\n"
    assert recollect("show", id, code=1).out == ""


@pytest.mark.parametrize(
    "which", [["--user", "ana"], ["--everything"], ["--user", "ana", "--where", '{"category": "work"}']]
)
def test_forgetting_more_needs_a_yes_in_a_script(recollect: Recollect, id: str, which: list[str]) -> None:
    assert recollect("forget", *which, "--dry-run").out == "would forget 1 memory\n"
    assert recollect("forget", *which, code=1).err == "error: yes: is missing: this would forget 1 memory\n"
    assert recollect("show", id).out
    assert recollect("forget", *which, "--yes", "--json").object == {"forgot": 1}
    assert recollect("list", "--everywhere").out == ""


def test_forgetting_nothing_in_particular_is_refused(recollect: Recollect, id: str) -> None:
    failed = recollect("forget", "--yes", code=1)
    assert failed.err.startswith("error: id: is missing; give an id, a scope or a filter")
    assert recollect("show", id).out


def test_a_purge_erases_history_too(recollect: Recollect, id: str) -> None:
    assert recollect("forget", id, "--purge", "--dry-run", "--json").object == {"would_purge": 1}
    assert recollect("forget", id, "--purge").out == "purged 1 memory\n"
    assert "aquarium" not in recollect("history", id, "--json").out
