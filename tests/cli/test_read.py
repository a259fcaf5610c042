"""mnemic list, show, history, links and stats"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.command import Mnemic


def remember(mnemic: Mnemic, text: str, *options: str) -> str:
    """Remember a text and return its id."""
    id: str = mnemic("remember", text, *options, "--json").object["memory"]["id"]
    return id


def test_list_prints_everything_in_the_order_of_arrival(mnemic: Mnemic) -> None:
    mnemic("remember", "--lines", stdin="".join(f"fact {n}\n" for n in range(1234)))
    texts = [memory["text"] for memory in mnemic("list", "--json").objects]
    assert texts == [f"fact {n}" for n in range(1234)]
    assert mnemic("list").out.count("\n") == 1234


def test_a_limited_list_goes_on_where_it_stopped(mnemic: Mnemic) -> None:
    mnemic("remember", "--lines", stdin="".join(f"fact {n}\n" for n in range(1300)))
    *first, cursor = mnemic("list", "--limit", "700", "--json").objects
    rest = mnemic("list", "--limit", "700", "--after", cursor["next"], "--json").objects
    assert [memory["text"] for memory in first + rest] == [f"fact {n}" for n in range(1300)]
    assert f"--after {cursor['next']}" in mnemic("list", "--limit", "700").err


def test_list_keeps_to_scope_and_filter(mnemic: Mnemic) -> None:
    remember(mnemic, "for no one")
    ana = remember(mnemic, "for Ana", "--user", "ana", "--tag", "x")
    assert [memory["id"] for memory in mnemic("list", "--user", "ana", "--json").objects] == [ana]
    assert [memory["text"] for memory in mnemic("list", "--json").objects] == ["for no one"]
    where = ["--everywhere", "--where", '{"tags": {"contains": "x"}}']
    assert [memory["id"] for memory in mnemic("list", *where, "--json").objects] == [ana]


def test_a_listed_text_stays_on_its_line_and_cannot_move_the_cursor(mnemic: Mnemic) -> None:
    remember(mnemic, "first\nsecond\tthird \x1b[2J\u202e")
    assert mnemic("list").out.endswith("\tno one\tfirst second third \\x1b[2J\\u202e\n")


def test_show_tells_fields_links_and_history(mnemic: Mnemic) -> None:
    one, two = remember(mnemic, "Ana sings", "--user", "ana"), remember(mnemic, "Ana has a choir")
    mnemic("link", one, two, "explained by")
    told = mnemic("show", one, "--json").object
    assert told["memory"]["text"] == "Ana sings"
    assert [(link["from_id"], link["to_id"], link["relation"]) for link in told["links"]] == [
        (one, two, "explained by")
    ]
    assert [change["kind"] for change in told["history"]] == ["created", "linked"]
    printed = mnemic("show", one).out
    assert printed.startswith("text\tAna sings\n")
    assert f"explained by\t{one}\t{two}\n" in printed


def test_history_tells_what_changed_also_after_forgetting(mnemic: Mnemic) -> None:
    id = remember(mnemic, "The shop opens at nine")
    mnemic("revise", id, "--text", "The shop opens at ten")
    mnemic("forget", id)
    assert [change["kind"] for change in mnemic("history", id, "--json").objects] == [
        "created",
        "revised",
        "forgotten",
    ]
    assert 'text: "The shop opens at nine" → "The shop opens at ten"' in mnemic("history", id).out


def test_links_are_listed_from_both_ends_until_they_are_removed(mnemic: Mnemic) -> None:
    one, two = remember(mnemic, "smoke"), remember(mnemic, "fire")
    made = mnemic("link", one, two, "caused by", "--json").object
    assert mnemic("history", one).out.endswith(f"\tlinked\tcaused by → {two}\n")
    assert mnemic("links", one, "--json").objects == mnemic("links", two, "--json").objects == [made]
    mnemic("unlink", one, two, "caused by")
    assert mnemic("links", one).out == ""


def test_stats_count_the_whole_mind_or_a_scope(mnemic: Mnemic) -> None:
    old, new = remember(mnemic, "old", "--user", "ana"), remember(mnemic, "new", "--user", "ana")
    remember(mnemic, "other", "--tier", "working", "--category", "home")
    mnemic("supersede", old, new)
    told = mnemic("stats", "--json").object
    assert (told["current"], told["ended"], told["links"], told["forgotten"]) == (2, 1, 0, 0)
    assert told["bytes"] > 0
    assert told["by"]["tier"] == [{"value": "long_term", "count": 1}, {"value": "working", "count": 1}]
    assert {"value": None, "count": 1} in told["by"]["category"]
    assert mnemic("stats", "--user", "ana", "--json").object["current"] == 1
    assert "user\tana\t1\n" in mnemic("stats").out
    assert "superseded or expired\t1\n" in mnemic("stats").out


def test_a_listed_memory_that_is_superseded_says_so(mnemic: Mnemic) -> None:
    old, new = remember(mnemic, "old"), remember(mnemic, "new")
    mnemic("supersede", old, new, "--at", "2030-01-01")
    first, second = mnemic("list", "--include-superseded").out.splitlines()
    assert first.endswith("\told\tsuperseded 2030-01-01")
    assert second.endswith("\tnew")


@pytest.mark.parametrize(
    ("command", "nothing"),
    [
        (["list"], "Nothing found"),
        (["recall", "sings"], "Nothing found"),
        (["context", "sings"], "Nothing found that fits into 1,000 tokens"),
    ],
)
def test_an_empty_scope_says_where_to_look(mnemic: Mnemic, command: list[str], nothing: str) -> None:
    remember(mnemic, "Ana sings", "--user", "ana")
    found = mnemic(*command, "--user", "bob", "--agent", "guide")
    assert found.out == ""
    assert found.err == f"{nothing} for agent guide, user bob. Use --everywhere to search all scopes.\n"
    assert mnemic(*command).err.startswith(f"{nothing} without a scope. ")
    assert mnemic(*command, "--everywhere", "--where", '{"category": "x"}').err == f"{nothing}.\n"
