"""Datasets whose texts a language model writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mnemic import ScriptedLlm
from mnemic.errors import ModelUnavailable
from mnemic.experience.dataset.enrich import enriched
from mnemic.experience.dataset.generate import generate

if TYPE_CHECKING:
    from mnemic import Message


def richer(messages: list[Message]) -> dict[str, Any]:
    texts = json.loads(messages[-1].content)
    return {"contents": [f"{text['content']} in ledger.py, line {index}" for index, text in enumerate(texts)]}


def test_a_model_rewrites_the_contents_and_nothing_else() -> None:
    plain = list(generate(23, seed=1))
    written = list(enriched(iter(plain), ScriptedLlm(richer, name="pen")))
    assert [entry["content"].partition(" in ledger.py")[0] for entry in written] == [
        entry["content"] for entry in plain
    ]
    assert {entry.pop("written_by") for entry in written} == {"pen"}
    assert [entry | {"content": ""} for entry in written] == [entry | {"content": ""} for entry in plain]


def test_the_plain_text_stays_where_the_model_breaks_a_rule() -> None:
    plain = list(generate(3, seed=1))
    answers = [{"contents": ["Fixed a bug", "", "The ledger importer now locks its rows in one order"]}]
    written = list(enriched(iter(plain), ScriptedLlm(answers)))
    assert written[:2] == plain[:2]
    assert written[2]["content"] == "The ledger importer now locks its rows in one order"


def test_the_plain_texts_stay_when_the_model_fails_or_loses_count() -> None:
    plain = list(generate(20, seed=1))
    replies = [ModelUnavailable("away"), {"contents": ["only one"]}]
    assert list(enriched(iter(plain), ScriptedLlm(replies))) == plain
