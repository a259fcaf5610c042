"""mnemic recall, context and explain"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.command import Mnemic


@pytest.fixture
def ids(mnemic: Mnemic) -> dict[str, str]:
    """Remember where Ana lived, and where Ben lives."""
    told = {
        "porto": mnemic("remember", "Ana lives in Porto", "--user", "ana", "--occurred-at", "2025-01-01", "--json"),
        "lisbon": mnemic(
            "remember",
            "Ana lives in Lisbon",
            "--user",
            "ana",
            "--occurred-at",
            "2026-03-01",
            "--category",
            "home",
            "--json",
        ),
        "berlin": mnemic("remember", "Ben lives in Berlin", "--user", "ben", "--tier", "working", "--json"),
    }
    ids: dict[str, str] = {name: outcome.object["memory"]["id"] for name, outcome in told.items()}
    mnemic("supersede", ids["porto"], ids["lisbon"])
    return ids


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--user", "ana"], ["lisbon"]),
        (["--user", "ana", "--as-of", "2025-06-01"], ["porto"]),
        (["--user", "ana", "--include-superseded"], ["lisbon", "porto"]),
        (["--user", "nobody"], []),
        ([], []),
        (["--everywhere"], ["berlin", "lisbon"]),
        (["--everywhere", "--tier", "working"], ["berlin"]),
        (["--everywhere", "--where", '{"category": "home"}'], ["lisbon"]),
    ],
)
def test_recall_finds_what_the_options_ask_for(
    mnemic: Mnemic, ids: dict[str, str], options: list[str], found: list[str]
) -> None:
    hits = mnemic("recall", "lives", *options, "--json").objects
    assert sorted(hit["memory"]["id"] for hit in hits) == sorted(ids[name] for name in found)
    assert all(hit["reasons"][0] == "words: lives" and 0 <= hit["score"] <= 1 for hit in hits)


def test_fewer_hits_can_be_asked_for(mnemic: Mnemic, ids: dict[str, str]) -> None:  # noqa: ARG001
    hits = mnemic("recall", "lives", "--everywhere", "--json").objects
    best, other = (hit["score"] for hit in hits)
    assert best > other
    for options in (["--limit", "1"], ["--min-score", str(best)]):
        assert mnemic("recall", "lives", "--everywhere", "--json", *options).objects == hits[:1]


def test_piped_hits_are_one_line_each(mnemic: Mnemic, ids: dict[str, str]) -> None:
    told = mnemic("recall", "where does Ana live", "--user", "ana")
    shown = rf"0\.\d\d\t{ids['lisbon']}\t2026-03-01\tAna lives in Lisbon\twords: ana, live; meaning: 0\."
    assert re.match(shown, told.out)
    assert told.out.count("\n") == 1


def test_the_question_is_read_from_stdin(mnemic: Mnemic, ids: dict[str, str]) -> None:
    hits = mnemic("recall", "-", "--user", "ana", "--json", stdin="Lisbon?\n").objects
    assert [hit["memory"]["id"] for hit in hits] == [ids["lisbon"]]


def test_context_is_text_for_a_prompt_within_the_budget(mnemic: Mnemic, ids: dict[str, str]) -> None:  # noqa: ARG001
    text = mnemic("context", "where does Ana live", "--user", "ana").out
    assert "- [2026-03-01] Ana lives in Lisbon\n" in text
    assert mnemic("context", "where does Ana live", "--user", "ana", "--json").object["context"] + "\n" == text
    assert mnemic("context", "where does Ana live", "--user", "ana", "--budget", "5").out == ""


def test_explain_tells_why_a_memory_is_left_out(mnemic: Mnemic, ids: dict[str, str]) -> None:
    told = mnemic("explain", "where does Ana live", ids["porto"], "--user", "ana", "--json").object
    assert told["recalled"] is False
    assert told["reasons"] == [f"superseded by {ids['lisbon']} at 2026-03-01"]
    assert "recalled\tyes" in mnemic("explain", "Lisbon", ids["lisbon"], "--user", "ana").out


def test_reranking_without_a_reranker_says_how_to_get_one(mnemic: Mnemic, ids: dict[str, str]) -> None:  # noqa: ARG001
    told = mnemic("recall", "Lisbon", "--user", "ana", "--rerank", code=1).err
    assert "mnemic models fetch ms-marco-minilm" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("rubbish", "MNEMIC_RERANKER: must be onnx:ms-marco-minilm"),
        ("onnx:ms-marco-minilm", "`mnemic models fetch ms-marco-minilm`"),
    ],
)
def test_a_reranker_that_cannot_be_loaded_is_named_when_it_is_needed(
    mnemic: Mnemic,
    ids: dict[str, str],  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    problem: str,
) -> None:
    monkeypatch.setenv("MNEMIC_RERANKER", setting)
    assert mnemic("recall", "Lisbon", "--user", "ana").out
    assert problem in mnemic("context", "Lisbon", "--user", "ana", "--rerank", code=1).err
