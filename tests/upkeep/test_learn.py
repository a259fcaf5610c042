"""Learning from messages: statements, weighed and stored once."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from mnemic.core.scoped import ScopedMind
from mnemic.errors import InvalidInput, ModelUnavailable
from mnemic.llms.scripted import ScriptedLlm
from mnemic.model.message import Message
from mnemic.model.scope import Scope
from mnemic.upkeep.importance import importance
from mnemic.upkeep.learn import learn, remember_once, weighed_draft

if TYPE_CHECKING:
    from mnemic import Mind

SCOPES = [Scope(user="ana"), Scope(user="ana", session="s1")]
CONVERSATION = [
    Message("user", "Hello! I moved to Lisbon yesterday.", name="Ana"),
    Message("user", "I'm allergic to peanuts."),
]
TEXTS = ["Ana: I moved to Lisbon yesterday (2026-04-30).", "user: I'm allergic to peanuts."]


def test_what_is_worth_remembering_is_stored_with_its_weight_day_and_scope(mind: Mind) -> None:
    learned = learn(ScopedMind(mind, Scope(user="ana")), CONVERSATION, metadata_of=lambda said: {"role": said.role})
    moved, allergic = (mind.get(memory.id) for memory in learned.memories)
    assert [moved.text, allergic.text] == TEXTS
    assert (learned.by, learned.problem) == ("rules", None)
    assert (moved.scope, moved.source, moved.metadata) == (Scope(user="ana"), "conversation", {"role": "user"})
    assert (moved.occurred_at, allergic.occurred_at) == (date(2026, 4, 30), None)
    assert [moved.importance, allergic.importance] == [importance(text).score for text in TEXTS]
    assert moved.category == "fact"


def test_the_caller_names_the_source_and_when_it_expires(mind: Mind) -> None:
    end = datetime(2027, 1, 1, tzinfo=UTC)
    learned = learn(ScopedMind(mind, Scope()), CONVERSATION, source="diary", expires_at=end)
    assert {(memory.source, memory.expires_at) for memory in learned.memories} == {("diary", end)}


@pytest.mark.parametrize("scope", SCOPES, ids=["user", "session"])
def test_what_is_known_stays_one_memory(mind: Mind, scope: Scope) -> None:
    own = ScopedMind(mind, scope)
    first, again = learn(own, CONVERSATION), learn(own, CONVERSATION)
    assert [remembered.created for remembered in (*first.remembered, *again.remembered)] == [True, True, False, False]
    assert [memory.id for memory in again.memories] == [memory.id for memory in first.memories]
    assert mind.count(everywhere=True) == 2


def test_a_text_given_twice_in_a_session_is_stored_once(mind: Mind) -> None:
    own = ScopedMind(mind, SCOPES[1])
    one, two = remember_once(own, [weighed_draft(own, "tea"), weighed_draft(own, "tea")])
    assert one.memory.id == two.memory.id
    assert [one.created, two.created].count(True) == mind.count(session="s1") == 1


def test_what_another_session_learned_is_new_in_this_one(mind: Mind) -> None:
    for session in ("s1", "s2"):
        learned = learn(ScopedMind(mind, Scope(user="ana", session=session)), CONVERSATION)
        assert [remembered.created for remembered in learned.remembered] == [True] * len(TEXTS)


def test_a_model_that_fails_is_reported_and_the_rules_choose(mind: Mind) -> None:
    llm = ScriptedLlm([ModelUnavailable("no answer within 60 s")])
    learned = learn(ScopedMind(mind, Scope()), CONVERSATION, llm=llm)
    assert [memory.text for memory in learned.memories] == TEXTS
    assert (learned.by, learned.problem) == ("rules", "no answer within 60 s")


def test_a_conversation_without_statements_stores_nothing(mind: Mind) -> None:
    assert learn(ScopedMind(mind, SCOPES[1]), [Message("user", "Hi!")]).memories == []
    with pytest.raises(InvalidInput, match="messages: is empty"):
        learn(ScopedMind(mind, Scope()), [])
    assert mind.count(everywhere=True) == 0
