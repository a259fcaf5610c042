"""Front matter: what is read, and what is refused with its line instead of being misread."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic.errors import InvalidInput
from mnemic.files import document


def fields(*lines: str) -> dict[str, Any]:
    return document.read("\n".join(("---", *lines, "---", "", "Content", "")).encode())[0]


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["k: plain words"], "plain words"),
        (["k:   spaced out  "], "spaced out"),
        (["k: Größe 北京 🌧"], "Größe 北京 🌧"),
        (['k: "a: b # c"'], "a: b # c"),
        (["k: 'a: b # c'"], "a: b # c"),
        (["k: 'it''s fine'"], "it's fine"),
        (['k: "line\\nbreak \\u00e9"'], "line\nbreak é"),
        (["k: a: b"], "a: b"),
        (["k: http://example.org:80/x"], "http://example.org:80/x"),
        (["k: 12:30"], "12:30"),
        (["k: 2026-01-02"], "2026-01-02"),
        (["k: 2026-01-02T10:00:00+01:00"], "2026-01-02T10:00:00+01:00"),
        (["k: yes"], "yes"),
        (["k: 007"], "007"),
        (["k: NaN"], "NaN"),
        (["k: 42"], 42),
        (["k: -1.5e3"], -1500.0),
        (["k: true"], True),
        (["k: False"], False),
        (["k: null"], None),
        (["k: ~"], None),
        (["k:"], None),
        (['k: ["a", 1]'], ["a", 1]),
        (['k: {"a": {"b": [1]}}'], {"a": {"b": [1]}}),
    ],
)
def test_a_value_is_plain_text_quoted_text_or_json(lines: list[str], value: object) -> None:
    assert fields(*lines) == {"k": value}


@pytest.mark.parametrize("fence", ["---\n", "---  \n", "---\r\n"])
def test_line_breaks_of_windows_are_read(fence: str) -> None:
    end = "\r\n" if "\r" in fence else "\n"
    text = f"{fence}tags:{end}- a{end}- b # last{end}day: 2026-01-02{end}{fence}{end}One{end}two{end}"
    assert document.read(text.encode()) == ({"tags": ["a", "b"], "day": "2026-01-02"}, "One\ntwo")


def test_comments_are_left_out() -> None:
    assert fields(
        "# about this file",
        "a: plain # why",
        'b: "quoted # not a comment" # why',
        "c: 'single' # why",
        "d: [1, 2] # why",
        "   # indented",
        "e: C# or F#",
        "f: # nothing",
        "g: 1 # one",
    ) == {
        "a": "plain",
        "b": "quoted # not a comment",
        "c": "single",
        "d": [1, 2],
        "e": "C# or F#",
        "f": None,
        "g": 1,
    }


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_list_has_one_item_per_line(indent: str) -> None:
    lines = ["tags: # three", "- one", "# a comment", "", '- "two: 2" # why', "- http://example.org", "- 4"]
    lines = [indent + line if line.startswith("-") else line for line in lines]
    assert fields("a: 1", *lines, "b: 2") == {
        "a": 1,
        "tags": ["one", "two: 2", "http://example.org", 4],
        "b": 2,
    }


def test_keys_may_be_quoted() -> None:
    assert fields('"a: b": 1', "'it''s': 2", "c d : 3", "größe: 4") == {"a: b": 1, "it's": 2, "c d": 3, "größe": 4}


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (["a:", "  b: 1"], 3, "nested values are not read"),
        (["a: one", "  two"], 3, "indented"),
        (["a:", "\t- b"], 3, "indented"),
        (["a:", "- b", "  c"], 4, "indented"),
        (["a:", "- b", "  - c"], 4, "align them"),
        (["a:", "- b: 1"], 3, "inside a list"),
        (["a:", "- b:"], 3, "inside a list"),
        (["a:", "- - b"], 3, "inside a list"),
        (["a: 1", "- b"], 3, "not a key"),
        (["- a"], 2, "not a key"),
        (["just words"], 2, "not a key"),
        (["a:b"], 2, "not a key"),
        (["a #b: 1"], 2, "not a key"),
        (["? a", ": b"], 2, "not a key"),
        (["a: 1", "b: |", "  text"], 3, "begins with |"),
        (["a: >-"], 2, "begins with >"),
        (["a: &x 1"], 2, "begins with &"),
        (["a: *x"], 2, "begins with *"),
        (["a: !!int 1"], 2, "begins with !"),
        (["a: [b, c]"], 2, "not JSON"),
        (["a: {b: c}"], 2, "not JSON"),
        (["a: ["], 2, "not JSON"),
        (['a: "\\x41"'], 2, "not JSON"),
        (['a: "open'], 2, "not JSON"),
        (["a: [NaN]"], 2, "not JSON"),
        (["a: 'open"], 2, "not closed"),
        (['a: "b" c'], 2, "more after its value: 'c'"),
        (["a: 'b'c'"], 2, "more after its value"),
        (["a: 1", "", "# note", "a: 2"], 5, "gives 'a' again"),
        (["..."], 2, "not a key"),
    ],
)
def test_what_would_be_misread_is_refused_with_its_line(lines: list[str], line: int, problem: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^front matter: line {line} ") as refused:
        fields(*lines)
    assert problem in str(refused.value)


def test_front_matter_without_an_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has no end"):
        document.read(b"---\na: 1\n\nContent\n")


def test_a_file_without_front_matter_is_all_content() -> None:
    assert document.read("\ufeffContent\n\n--- dashes\n".encode()) == ({}, "Content\n\n--- dashes")


@pytest.mark.parametrize(
    "value", ["yes", "True", "NULL", "~", "", "- a", "a # b", " a ", "|", "'a", "[a", "2026", "a:"]
)
def test_what_could_be_read_otherwise_is_written_in_quotation_marks(value: str) -> None:
    assert document.read(document.written({"k": value, value or "empty": 1}, "x")) == (
        {"k": value, value or "empty": 1},
        "x",
    )
