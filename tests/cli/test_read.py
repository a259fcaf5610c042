"""recollect list, show, history, links and stats"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.command import Recollect


def remember(recollect: Recollect, text: str, *options: str) -> str:
    """Remember a text and return its id."""
    id: str = recollect("remember", text, *options, "--json").object["memory"]["id"]
    return id


def test_list_prints_everything_in_the_order_of_arrival(recollect: Recollect) -> None:
    recollect("remember", "--lines", stdin="".join(f"fact {n}\n" for n in range(1234)))
    texts = [memory["text"] for memory in recollect("list", "--json").objects]
    assert texts == [f"fact {n}" for n in range(1234)]
    assert recollect("list").out.count("\n") == 1234


def test_a_limited_list_goes_on_where_it_stopped(recollect: Recollect) -> None:
    recollect("remember", "--lines", stdin="".join(f"fact {n}\n" for n in range(1300)))
    *first, cursor = recollect("list", "--limit", "700", "--json").objects
    rest = recollect("list", "--limit", "700", "--after", cursor["next"], "--json").objects
    assert [memory["text"] for memory in first + rest] == [f"fact {n}" for n in range(1300)]
    assert f"--after {cursor['next']}" in recollect("list", "--limit", "700").err


def test_list_keeps_to_scope_and_filter(recollect: Recollect) -> None:
    remember(recollect, "for no one")
    ana = remember(recollect, "for Ana", "--user", "ana", "--tag", "x")
    assert [memory["id"] for memory in recollect("list", "--user", "ana", "--json").objects] == [ana]
    assert [memory["text"] for memory in recollect("list", "--json").objects] == ["for no one"]
    where = ["--everywhere", "--where", '{"tags": {"contains": "x"}}']
    assert [memory["id"] for memory in recollect("list", *where, "--json").objects] == [ana]


def test_a_listed_text_stays_on_its_line_and_cannot_move_the_cursor(recollect: Recollect) -> None:
    remember(recollect, "first\nsecond\tthird \x1b[2J\u202e")
    assert recollect("list").out.endswith("\tno one\tfirst second third \\x1b[2J\\u202e\n")


def test_show_tells_fields_links_and_history(recollect: Recollect) -> None:
    one, two = remember(recollect, "Ana sings", "--user", "ana"), remember(recollect, "Ana has a choir")
    recollect("link", one, two, "explained by")
    told = recollect("show", one, "--json").object
    assert told["memory"]["text"] == "Ana sings"
    assert [(link["from_id"], link["to_id"], link["relation"]) for link in told["links"]] == [
        (one, two, "explained by")
    ]
    assert [change["kind"] for change in told["history"]] == ["created", "linked"]
    printed = recollect("show", one).out
    assert printed.startswith("text\tAna sings\n")
    assert f"explained by\t{one}\t{two}\n" in printed


def test_history_tells_what_changed_also_after_forgetting(recollect: Recollect) -> None:
    id = remember(recollect, "The shop opens at nine")
    recollect("revise", id, "--text", "The shop opens at ten")
    recollect("forget", id)
    assert [change["kind"] for change in recollect("history", id, "--json").objects] == [
        "created",
        "revised",
        "forgotten",
    ]
    assert 'text: "The shop opens at nine" → "The shop opens at ten"' in recollect("history", id).out


def test_links_are_listed_from_both_ends_until_they_are_removed(recollect: Recollect) -> None:
    one, two = remember(recollect, "smoke"), remember(recollect, "fire")
    made = recollect("link", one, two, "caused by", "--json").object
    assert recollect("links", one, "--json").objects == recollect("links", two, "--json").objects == [made]
    recollect("unlink", one, two, "caused by")
    assert recollect("links", one).out == ""


def test_stats_count_the_whole_mind_or_a_scope(recollect: Recollect) -> None:
    old, new = remember(recollect, "old", "--user", "ana"), remember(recollect, "new", "--user", "ana")
    remember(recollect, "other", "--tier", "working", "--category", "home")
    recollect("supersede", old, new)
    told = recollect("stats", "--json").object
    assert (told["current"], told["ended"], told["links"], told["forgotten"]) == (2, 1, 0, 0)
    assert told["bytes"] > 0
    assert told["by"]["tier"] == [{"value": "long_term", "count": 1}, {"value": "working", "count": 1}]
    assert {"value": None, "count": 1} in told["by"]["category"]
    assert recollect("stats", "--user", "ana", "--json").object["current"] == 1
    assert "user\tana\t1\n" in recollect("stats").out
