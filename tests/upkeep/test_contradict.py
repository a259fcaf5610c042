"""Updates close what was; contradictions wait for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic.errors import InvalidInput, NotFound
from mnemic.upkeep.contradict import contradictions, decide
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemic import Mind
    from mnemic.upkeep.contradict import Decision

    Tell = Callable[..., str]


def test_a_move_closes_the_old_home_dated_and_linked(mind: Mind, tell: Tell) -> None:
    porto, lisbon = tell("I live in Porto", "2026-01-10"), tell("I moved to Lisbon", "2026-03-05")
    report = upkeep(mind, user="ana")
    closed = mind.get(porto)
    assert (closed.superseded_by, str(closed.superseded_at)) == (lisbon, "2026-03-05")
    assert [(link.from_id, link.relation) for link in mind.links(porto)] == [(lisbon, "updates")]
    assert [(action.kind, action.id, action.by) for action in report.actions] == [("superseded", porto, "rules")]
    assert [hit.memory.id for hit in mind.recall("Porto", user="ana", as_of="2026-02-01")] == [porto]


def test_an_update_can_be_taken_back_and_is_not_made_again(mind: Mind, tell: Tell) -> None:
    porto = tell("I live in Porto", "2026-01-10")
    tell("I moved to Lisbon", "2026-03-05")
    upkeep(mind, user="ana")
    mind.unsupersede(porto)
    assert upkeep(mind, user="ana").actions == []
    assert mind.get(porto).superseded_at is None


def test_what_is_told_late_is_closed_by_what_happened_after_it(mind: Mind, tell: Tell) -> None:
    lisbon, porto = tell("I moved to Lisbon", "2026-03-05"), tell("I live in Porto", "2026-01-10")
    upkeep(mind, user="ana")
    assert mind.get(porto).superseded_by == lisbon
    assert mind.get(lisbon).superseded_at is None


def test_a_return_ends_where_it_began(mind: Mind, tell: Tell) -> None:
    ids = [
        tell(f"I moved to {city}", f"2026-0{month}-01")
        for month, city in enumerate(("Lisbon", "Porto", "Lisbon"), start=1)
    ]
    upkeep(mind, user="ana")
    assert [mind.get(id).superseded_by for id in ids] == [ids[1], ids[2], None]


def test_people_and_scopes_are_kept_apart(mind: Mind, tell: Tell) -> None:
    tell("Ben lives in Porto", "2026-01-10")
    tell("Cleo moved to Lisbon", "2026-02-10")
    tell("I live in Porto", "2026-01-10", user="ben")
    tell("I moved to Lisbon", "2026-03-10")
    report = upkeep(mind, everywhere=True)
    assert (report.examined, report.actions) == (4, [])


def test_what_the_assistant_says_of_itself_is_not_about_the_user(mind: Mind) -> None:
    for role, text in (("user", "I live in Porto"), ("assistant", "I live in Lisbon now")):
        mind.remember(text, user="ana", session="1", metadata={"role": role})
    report = upkeep(mind, user="ana")
    assert (report.examined, report.actions) == (2, [])


def test_facts_of_one_session_are_updated_in_another(mind: Mind) -> None:
    old = mind.remember("I live in Porto", user="ana", session="1", occurred_at="2026-01-01").memory.id
    mind.remember("I moved to Lisbon", user="ana", session="2", occurred_at="2026-02-01")
    assert [action.id for action in upkeep(mind, user="ana").actions] == [old]


def test_the_owner_of_the_memories_may_be_called_by_name(mind: Mind, tell: Tell) -> None:
    old = tell("Ana lives in Porto", "2026-01-01")
    tell("I moved to Lisbon", "2026-02-01")
    assert [action.id for action in upkeep(mind, user="ana").actions] == [old]


def test_several_values_stand_side_by_side(mind: Mind, tell: Tell) -> None:
    for text in ("I speak French", "I speak Greek", "I have a dog", "I have a cat", "I like tea", "I like mate"):
        tell(text, "2026-01-01")
    report = upkeep(mind, user="ana")
    assert (report.examined, report.actions) == (6, [])


def test_a_text_that_says_more_stays_and_is_linked(mind: Mind, tell: Tell) -> None:
    long = tell("I live in Porto. My sister Bea teaches physics in Braga.", "2026-01-01")
    new = tell("I moved to Lisbon", "2026-02-01")
    report = upkeep(mind, user="ana")
    assert [action.kind for action in report.actions] == ["partly outdated"]
    assert mind.get(long).superseded_at is None
    assert [link.from_id for link in mind.links(long)] == [new]


def test_a_contradiction_is_listed_and_nothing_is_closed(mind: Mind, tell: Tell) -> None:
    older, newer = tell("My rent is 900 euros", "2026-01-01"), tell("My rent is 950 euros", "2026-01-01")
    report = upkeep(mind, user="ana")
    assert [action.kind for action in report.actions] == ["contradiction"]
    assert [(found.older.id, found.newer.id) for found in contradictions(mind)] == [(older, newer)]
    assert mind.count(user="ana") == 2


@pytest.mark.parametrize(("keep", "current"), [("newer", {1}), ("older", {0}), ("both", {0, 1})])
def test_a_person_decides(mind: Mind, tell: Tell, keep: Decision, current: set[int]) -> None:
    ids = [tell("My rent is 900 euros", "2026-01-01"), tell("My rent is 950 euros", "2026-01-01")]
    upkeep(mind, user="ana")
    decide(mind, ids[0], ids[1], keep)
    assert {index for index, id in enumerate(ids) if mind.get(id).superseded_at is None} == current
    assert contradictions(mind) == []
    mind.revise(ids[1], text="My rent is 950 euros a month")
    again = upkeep(mind, user="ana")
    assert (again.examined, again.actions) == (int(1 in current), [])


def test_only_an_open_contradiction_can_be_decided(mind: Mind, tell: Tell) -> None:
    ids = tell("I like tea", "2026-01-01"), tell("I like mate", "2026-01-01")
    with pytest.raises(NotFound, match="no open contradiction"):
        decide(mind, ids[0], ids[1], "newer")
    with pytest.raises(InvalidInput, match="keep: must be newer, older or both"):
        decide(mind, ids[0], ids[1], "neither")


def test_a_note_that_says_what_replaced_it_is_closed_by_an_older_note_on_that(mind: Mind, tell: Tell) -> None:
    current = tell("Builds run on Buildkite with two agents.", "2026-01-01")
    outdated = tell("Previously used Jenkins for builds. Replaced by Buildkite.", "2026-02-01")
    upkeep(mind, user="ana")
    assert (mind.get(outdated).superseded_by, mind.get(current).superseded_by) == (current, None)


def test_a_revised_text_is_compared_again(mind: Mind, tell: Tell) -> None:
    porto, note = tell("I live in Porto", "2026-01-01"), tell("I visited Lisbon", "2026-02-01")
    upkeep(mind, user="ana")
    mind.revise(note, text="I moved to Lisbon")
    assert [action.id for action in upkeep(mind, user="ana").actions] == [porto]


def test_what_has_ended_no_longer_waits_for_a_decision(mind: Mind, tell: Tell) -> None:
    older = tell("My rent is 900 euros", "2026-03-05")
    tell("My rent is 950 euros", "2026-03-05")
    upkeep(mind, user="ana")
    assert len(contradictions(mind)) == 1
    mind.revise(older, expires_at=mind.clock())
    assert contradictions(mind) == []
