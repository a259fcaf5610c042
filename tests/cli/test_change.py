"""mnemic revise, supersede, unsupersede and forget"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.command import Mnemic


@pytest.fixture
def id(mnemic: Mnemic) -> str:
    """Remember something for Ana."""
    options = ("--user", "ana", "--category", "work", "--tag", "x", "--json")
    found: str = mnemic("remember", "Ana works at the aquarium", *options).object["memory"]["id"]
    return found


def test_revise_changes_the_given_fields_and_clears_the_named_ones(mnemic: Mnemic, id: str) -> None:
    options = ("--text", "-", "--importance", "9", "--clear", "category", "--clear", "tags", "--json")
    memory = mnemic("revise", id, *options, stdin="Ana works at the zoo\n").object
    assert (memory["text"], memory["importance"], memory["category"], memory["tags"]) == (
        "Ana works at the zoo",
        9,
        None,
        [],
    )
    assert (memory["user"], memory["revision"]) == ("ana", 2)


def test_revise_refuses_a_lost_update(mnemic: Mnemic, id: str) -> None:
    mnemic("revise", id, "--importance", "9", "--expect", "1")
    failed = mnemic("revise", id, "--importance", "2", "--expect", "1", code=1)
    assert "is at revision 2, not 1, because it was changed meanwhile" in failed.err
    assert "is at revision 2, not 3; read it again" in mnemic("revise", id, "--tag", "y", "--expect", "3", code=1).err


@pytest.mark.parametrize("options", [["--clear", "text"], ["--clear", "tags", "--tag", "y"], []])
def test_revise_refuses_what_makes_no_sense(mnemic: Mnemic, id: str, options: list[str]) -> None:
    assert mnemic("revise", id, *options, code=1).err.startswith(
        ("error: --clear: ", "error: nothing to change; give at least one of --text, ")
    )
    assert mnemic("show", id, "--json").object["memory"]["revision"] == 1


def test_a_superseded_memory_can_be_opened_again(mnemic: Mnemic, id: str) -> None:
    new = mnemic("remember", "Ana works at the zoo", "--user", "ana", "--json").object["memory"]["id"]
    closed = mnemic("supersede", id, new, "--at", "2030-01-01", "--json").object
    assert (closed["superseded_by"], closed["superseded_at"]) == (new, "2030-01-01")
    assert mnemic("unsupersede", id, "--json").object["superseded_by"] is None


def test_forgetting_by_id_needs_no_confirmation(mnemic: Mnemic, id: str) -> None:
    assert mnemic("forget", id).out == "forgot 1 memory\n"
    assert mnemic("show", id, code=1).out == ""


@pytest.mark.parametrize(
    "which", [["--user", "ana"], ["--everything"], ["--user", "ana", "--where", '{"category": "work"}']]
)
def test_forgetting_more_needs_a_yes_in_a_script(mnemic: Mnemic, id: str, which: list[str]) -> None:
    assert mnemic("forget", *which, "--dry-run").out == "would forget 1 memory\n"
    assert mnemic("forget", *which, code=1).err == "error: --yes: is needed in a script: this would forget 1 memory\n"
    assert mnemic("show", id).out
    assert mnemic("forget", *which, "--yes", "--json").object == {"forgot": 1}
    assert mnemic("list", "--everywhere").out == ""


def test_forgetting_nothing_in_particular_is_refused(mnemic: Mnemic, id: str) -> None:
    failed = mnemic("forget", "--yes", code=1)
    assert failed.err.startswith("error: ID: is missing; give an ID, a scope such as --user, --where, or --everything")
    assert mnemic("show", id).out


def test_a_purge_erases_history_too(mnemic: Mnemic, id: str) -> None:
    assert mnemic("forget", id, "--purge", "--dry-run", "--json").object == {"would_purge": 1}
    assert mnemic("forget", id, "--purge").out == "purged 1 memory\n"
    assert "aquarium" not in mnemic("history", id, "--json").out
