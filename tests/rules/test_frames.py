"""Whom a sentence is about, and the values that it names."""

from __future__ import annotations

import pytest

from mnemic.rules.claims.clauses import SPEAKER
from mnemic.rules.claims.frames import frame_of, frames


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("Ana moved to Lisbon.", "ana"),
        ("I moved to Lisbon.", SPEAKER),
        ("Ben is Ana's boss.", "ana"),
        ("Ben is the boss of Ana.", "ana"),
        ("Ben is my boss.", SPEAKER),
        ("In Lisbon Ana has a flat.", "ana"),
        ("Choir practice with Ana is on Mondays.", "ana"),
        ("Friends call Ana Moose.", "ana"),
        ("Ben told me that Ana moved.", "ana"),
        ("Ana says the project is on hold.", "ana"),
        ("Rose moved to Lisbon.", "rose"),
        ("Drew went to Lisbon.", "drew"),
        ("The user prefers tables.", SPEAKER),
        ("User's city is Porto.", SPEAKER),
    ],
)
def test_a_sentence_is_about_somebody(text: str, owner: str) -> None:
    assert frame_of(text).owners[0] == owner


@pytest.mark.parametrize(
    "text",
    [
        "The train was late again.",
        "The new chair is Ana.",
        "The user interface is blue.",
        "Answer in French.",
        "Sold the bike to a neighbour.",
        "Threw out the old couch.",
    ],
)
def test_a_sentence_about_nobody_has_no_owner(text: str) -> None:
    assert frame_of(text).owners == ()


def test_a_title_ends_no_sentence() -> None:
    assert len(frames("Dr. Farouk is my dentist.")) == 1
    assert len(frames("Mrs. Quist moved. Ana stayed.")) == 2


def test_somebody_called_by_name_is_the_speaker() -> None:
    assert frame_of("Ana moved to Lisbon.", "ana").owners == (SPEAKER,)


def test_values_have_kinds() -> None:
    frame = frame_of("Ana, a baker, gets up at 6:15 on Mondays and drives a red Fiat.")
    assert frame.values("name") == {"ana", "fiat"}
    assert frame.values("clock") == {"6:15"}
    assert frame.values("trade") == {"baker"}
    assert frame.values("colour") == {"red"}


def test_a_sentence_that_names_nobody_goes_with_the_one_before() -> None:
    assert [len(frame.words) for frame in frames("Ana sold the car. It was old. Ben bought it.")] == [7, 3]


@pytest.mark.parametrize(
    ("text", "meetings"),
    [
        ("My meeting with Dr. Wu is at 3 pm.", {"meet": {"wu"}}),
        ("I have Spanish lessons with Leon.", {"lesson": {"leon"}}),
        ("Coffee with Professor Lund was nice.", {"coffe": {"lund"}}),
        ("My meeting with Dr. Ana Silva on Monday is off.", {"meet": {"ana", "silva"}}),
        ("My call with Ana is at noon, my call with Ben at five.", {"call": {"ana", "ben"}}),
        ("My contract with Vodafone runs until May.", {}),
        ("Ana banks with Nordea.", {}),
        ("Ana lives there with Leon.", {}),
        ("The call with the landlord is on Friday.", {}),
    ],
)
def test_a_sentence_tells_with_whom_one_meets(text: str, meetings: dict[str, set[str]]) -> None:
    assert frame_of(text).meetings == meetings
