"""Memories that say the same become one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic.embedders.table import TableEmbedder
from mnemic.upkeep.merge import says_the_same
from mnemic.upkeep.options import Options
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemic import Mind

    Tell = Callable[..., str]

EMBEDDER = TableEmbedder()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I bought a couch for the office", "I purchased a sofa for the office"),
        ("She adopted a puppy last week", "Last week she adopted a puppy"),
        ("My kids love the zoo", "My children love the zoo"),
        ("I really love my garden", "I love my garden"),
        ("The film starts at 8pm", "The movie starts at 8pm"),
    ],
)
def test_other_words_for_the_same_are_recognised(one: str, other: str) -> None:
    assert says_the_same(EMBEDDER, one, other, similar=0.7) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I paid 20 euros for the ticket", "I paid 30 euros for the ticket"),
        ("My brother plays the violin", "My sister plays the violin"),
        ("Ana owes Ben money", "Ben owes Ana money"),
        ("I flew from Porto to Rome", "I flew from Rome to Porto"),
        ("I like the new office", "I don't like the new office"),
        ("I will visit the museum", "I visited the museum"),
        ("The shop opens on Monday", "The shop opens on Tuesday"),
        ("I take my coffee with oat milk", "I take my coffee with soy milk"),
        ("He left before the storm", "He left after the storm"),
        ("I moved to Porto", "I moved to Lisbon"),
        ("Do you like tea", "Do you like tea?"),
        ("column user_name is unique", "column user_mail is unique"),
    ],
)
def test_what_differs_in_what_matters_is_not_the_same(one: str, other: str) -> None:
    assert says_the_same(EMBEDDER, one, other, similar=0.5) is None


def test_the_merged_memory_keeps_the_evidence_of_all(mind: Mind, tell: Tell) -> None:
    first = tell("I bought a couch for the office")
    tell("I bought a couch for the office")
    other = tell("I purchased a sofa for the office")
    report = upkeep(mind, user="ana")
    assert [(action.kind, action.id, action.other_id) for action in report.actions] == [("merged", other, first)]
    assert mind.get(first).evidence == 3
    assert [hit.memory.id for hit in mind.recall("couch or sofa", user="ana")] == [first]
    assert [change.kind for change in mind.history(other)] == ["created", "superseded", "linked"]


def test_a_merger_is_undone_without_a_trace_in_the_evidence_and_not_repeated(mind: Mind, tell: Tell) -> None:
    first, other = tell("I bought a couch for the office"), tell("I purchased a sofa for the office")
    upkeep(mind, user="ana")
    mind.unmerge(other)
    assert mind.get(first).evidence == mind.get(other).evidence == 1
    mind.revise(other, text="I purchased a sofa for my office")
    report = upkeep(mind, user="ana")
    assert (report.examined, report.actions) == (1, [])
    assert mind.count(user="ana") == 2


def test_scopes_tiers_and_sessions_are_not_merged(mind: Mind, tell: Tell) -> None:
    tell("I bought a couch for the office")
    tell("I purchased a sofa for the office", user="ben")
    tell("I purchased a sofa for the office", tier="episodic")
    tell("I purchased a sofa for the office", session="1")
    report = upkeep(mind, everywhere=True)
    assert (report.examined, report.actions) == (4, [])


def test_the_same_event_on_two_days_is_two_events(mind: Mind, tell: Tell) -> None:
    tell("I bought a couch for the office", "2026-01-01")
    tell("I purchased a sofa for the office", "2026-02-01")
    report = upkeep(mind, user="ana")
    assert (report.examined, report.actions) == (2, [])


def test_a_lasting_state_told_on_two_days_is_one(mind: Mind, tell: Tell) -> None:
    tell("I really love my garden", "2026-01-01")
    tell("I love my garden", "2026-02-01")
    assert [action.kind for action in upkeep(mind, user="ana").actions] == ["merged"]


def test_merging_can_be_turned_off(mind: Mind, tell: Tell) -> None:
    tell("I bought a couch for the office")
    tell("I purchased a sofa for the office")
    report = upkeep(mind, user="ana", options=Options(merge=False))
    assert (report.examined, report.actions) == (2, [])
