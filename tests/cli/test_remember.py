"""mnemic remember"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from tests.cli.command import Mnemic


def test_a_memory_is_kept_with_every_field_it_was_given(mnemic: Mnemic) -> None:
    id = str(uuid4())
    options = {
        "--agent": "guide",
        "--user": "ana",
        "--session": "s1",
        "--tier": "episodic",
        "--category": "health",
        "--importance": "8.5",
        "--metadata": '{"year": 2026, "deep": {"list": [1, null]}}',
        "--source": "chat",
        "--occurred-at": "2026-03-01",
        "--expires-at": "2027-01-01T00:00:00Z",
        "--id": id,
    }
    flat = [part for pair in options.items() for part in pair]
    told = mnemic("remember", "Ana is allergic to walnuts", *flat, "--tag", "food", "--tag", "risk", "--json").object
    assert told["created"] is True
    memory = told["memory"]
    assert mnemic("show", id, "--json").object["memory"] == memory
    assert memory.pop("created_at").endswith("+00:00")
    assert memory == {
        "id": id,
        "text": "Ana is allergic to walnuts",
        "agent": "guide",
        "user": "ana",
        "session": "s1",
        "tier": "episodic",
        "category": "health",
        "importance": 8.5,
        "tags": ["food", "risk"],
        "metadata": {"year": 2026, "deep": {"list": [1, None]}},
        "source": "chat",
        "occurred_at": "2026-03-01",
        "expires_at": "2027-01-01T00:00:00+00:00",
        "superseded_by": None,
        "superseded_at": None,
        "evidence": 1,
        "revision": 1,
    }


def test_a_repeat_is_named_as_such(mnemic: Mnemic) -> None:
    first = mnemic("remember", "The sea is salty")
    second = mnemic("remember", "The sea is salty")
    assert first.out.startswith("remembered\t")
    assert second.out == first.out.replace("remembered", "already stored")


def test_text_is_read_from_stdin_without_its_last_line_break(mnemic: Mnemic) -> None:
    told = mnemic("remember", "-", "--json", stdin="  two\nlines \r\n")
    assert told.object["memory"]["text"] == "  two\nlines "


def test_any_script_is_kept_and_printed_exactly(mnemic: Mnemic) -> None:
    text = "東京の夏は暑い · العربية · 👩‍👩‍👧 · e\u0301 · \u2028"
    assert mnemic("remember", text, "--json").object["memory"]["text"] == text
    assert mnemic("list", "--json").object["text"] == text


def test_each_line_becomes_a_memory(mnemic: Mnemic) -> None:
    lines = "one apple\n\ntwo pears\r\none apple\n"
    told = mnemic("remember", "--lines", "--user", "ana", "--json", stdin=lines).objects
    assert [(one["created"], one["memory"]["text"]) for one in told] == [
        (True, "one apple"),
        (True, "two pears"),
        (False, "one apple"),
    ]
    assert mnemic("remember", "--lines", "--user", "ana", stdin="two pears\nthree\n").out == (
        "remembered 1\talready stored 1\n"
    )


def test_more_lines_than_a_batch_are_all_kept(mnemic: Mnemic) -> None:
    mnemic("remember", "--lines", stdin="".join(f"fact number {n}\n" for n in range(2500)))
    assert len(mnemic("list", "--json").objects) == 2500


def test_a_wrong_line_is_named_with_what_is_kept_before_it(mnemic: Mnemic) -> None:
    good = "".join(f"fact number {n}\n" for n in range(1200))
    failed = mnemic("remember", "--lines", stdin=good + "a \0 b\n", code=1)
    assert failed.err == (
        "error: line 1201: text: contains a NUL character; remove it; nothing from line 1001 on is remembered\n"
    )
    assert len(mnemic("list", "--json").objects) == 1000
