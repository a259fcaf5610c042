"""The scripted language model, which users' own tests use too"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pytest

from mnemic import Message, ScriptedLlm
from mnemic.errors import InvalidInput, ModelError, ModelUnavailable

ASKED = [Message("user", "Where is Ana?")]


@dataclass(frozen=True)
class Pet:
    """A pet."""

    name: str
    age: float | None = None


@dataclass(frozen=True)
class Person:
    """A person."""

    name: str
    kind: Literal["friend", "stranger"] = "stranger"
    pets: list[Pet] = field(default_factory=list)
    tags: tuple[str, ...] = ()


def test_it_says_what_it_was_told_to_and_keeps_what_was_asked() -> None:
    llm = ScriptedLlm(["In Lisbon.", "In Porto."])
    assert [llm.answer(ASKED), llm.answer([{"role": "user", "content": "Sure?"}])] == ["In Lisbon.", "In Porto."]
    assert llm.asked == [ASKED, [Message("user", "Sure?")]]


def test_a_stream_is_the_reply_word_by_word() -> None:
    pieces = list(ScriptedLlm(["In  Lisbon, \n maybe. "]).stream(ASKED))
    assert len(pieces) > 2
    assert "".join(pieces) == "In  Lisbon, \n maybe. "


@pytest.mark.parametrize(
    "reply",
    [
        '{"name": "Ana", "kind": "friend", "pets": [{"name": "Miso", "age": 3}]}',
        {"name": "Ana", "kind": "friend", "pets": [{"name": "Miso", "age": 3}]},
        Person("Ana", "friend", [Pet("Miso", 3.0)]),
    ],
)
def test_a_shape_is_filled_from_json_a_dict_or_the_value(reply: object) -> None:
    assert ScriptedLlm([reply]).structured(ASKED, Person) == Person("Ana", "friend", [Pet("Miso", 3.0)])


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("not JSON", "did not answer with a Person"),
        ([1], "answer: must be an object"),
        ({}, "answer.name: is missing"),
        ({"name": 3}, "answer.name: must be str"),
        ({"name": "Ana", "kind": "foe"}, "answer.kind: must be one of friend, stranger"),
        ({"name": "Ana", "pets": "Miso"}, "answer.pets: must be a list"),
        ({"name": "Ana", "pets": [{"name": "Miso", "age": True}]}, r"answer.pets\[0\].age: does not fit"),
        ({"name": "Ana", "tags": ["x", 1]}, r"answer.tags\[1\]: must be str"),
    ],
)
def test_a_reply_of_the_wrong_shape_is_an_error_as_with_a_real_model(reply: object, problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        ScriptedLlm([reply]).structured(ASKED, Person)


def test_a_function_can_reply() -> None:
    llm = ScriptedLlm(lambda messages: messages[-1].content.upper())
    assert llm.answer(ASKED) == "WHERE IS ANA?"


def test_an_error_in_the_script_is_raised() -> None:
    llm = ScriptedLlm([ModelUnavailable("down"), "up"])
    with pytest.raises(ModelUnavailable, match="down"):
        llm.answer(ASKED)
    assert llm.answer(ASKED) == "up"


def test_a_script_that_has_ended_says_so() -> None:
    with pytest.raises(ModelError, match="scripted has no reply left for question 1"):
        ScriptedLlm().answer(ASKED)


def test_the_messages_are_checked_as_with_a_real_model() -> None:
    with pytest.raises(InvalidInput, match=r"messages\[0\]\.role: is missing"):
        ScriptedLlm(["x"]).answer([{"content": "x"}])
