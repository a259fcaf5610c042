"""A manager's memories look after themselves: the window, episodes, updates, merging and pruning."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Agent, ConversationContext, MemoryConfig, MemoryManager, Message, Mind, ScriptedLlm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Clock

run = asyncio.run


@pytest.fixture
def mind() -> Iterator[Mind]:
    with Mind(":memory:") as mind:
        yield mind


def talk(mind: Mind, messages: int, **config: Any) -> ConversationContext:
    """Return a conversation in which so many things were said."""
    context = ConversationContext("monday", MemoryConfig(**config), mind=mind)
    for number in range(messages):
        run(context.add_message(Message("user", f"I saw whale number {number} near Lisbon")))
    return context


def contents(context: ConversationContext, memory_type: str) -> list[str]:
    return [entry.content for entry in run(context.memory.get_memories(memory_type))]


def test_a_conversation_within_the_window_is_kept_as_it_is(mind: Mind) -> None:
    context = talk(mind, 10, window=10)
    assert len(contents(context, "short_term")) == 10
    assert contents(context, "episodic") == []


def test_what_leaves_the_window_becomes_an_episode_linked_to_it(mind: Mind) -> None:
    context = talk(mind, 11, window=10)
    (episode,) = run(context.memory.get_memories("episodic"))
    kept = contents(context, "short_term")
    assert "whale number 0" in episode.content
    assert kept == [f"I saw whale number {number} near Lisbon" for number in range(11 - len(kept), 11)]
    linked = [link for link in mind.links(episode.id) if link.relation == "summarises"]
    assert len(linked) == 11 - len(kept)
    assert mind.get(linked[0].to_id).text.startswith("I saw whale")


def test_memory_stays_small_in_a_long_conversation(mind: Mind) -> None:
    context = talk(mind, 60, window=10)
    assert len(contents(context, "short_term")) <= 10
    assert len(context.history) == 10
    assert context.history.messages[-1].content == "I saw whale number 59 near Lisbon"


def test_an_episode_is_known_in_the_next_conversation(mind: Mind) -> None:
    talk(mind, 11, window=10)
    llm = ScriptedLlm(["whales"])
    other = ConversationContext("tuesday", MemoryConfig(), mind=mind)

    async def ask() -> None:
        async for _ in Agent(llm).process_message("which whale did I see near Lisbon?", other):
            pass

    run(ask())
    assert "whale number 0" in llm.asked[0][0].content


def test_without_summaries_the_oldest_are_forgotten(mind: Mind) -> None:
    context = talk(mind, 12, window=10, summarise=False)
    assert contents(context, "short_term") == [f"I saw whale number {number} near Lisbon" for number in range(2, 12)]
    assert contents(context, "episodic") == []


def test_a_language_model_writes_the_episode(mind: Mind) -> None:
    llm = ScriptedLlm([{"summary": "Near Lisbon, whale number 0 and whale number 1 were seen."}])
    context = talk(mind, 6, window=5, llm=llm)
    assert "were seen" in contents(context, "episodic")[0]


def test_a_failing_language_model_is_told_and_rules_answer(mind: Mind) -> None:
    context = talk(mind, 6, window=5, llm=ScriptedLlm([]))
    assert len(contents(context, "episodic")) == 1
    assert "no reply left" in context.memory.problems[0]


def test_each_conversation_has_a_window_of_its_own(mind: Mind) -> None:
    first = talk(mind, 9, window=10)
    other = ConversationContext("tuesday", MemoryConfig(window=10), mind=mind)
    for number in range(9):
        run(other.add_message(Message("user", f"boat {number}")))
    assert len(contents(first, "short_term")) == len(contents(other, "short_term")) == 9


def test_upkeep_closes_what_a_newer_memory_says_otherwise(mind: Mind) -> None:
    manager = MemoryManager(mind=mind)
    run(manager.add_memory("Ana lives in Porto", "long_term"))
    run(manager.add_memory("Ana moved to Lisbon", "long_term"))
    dry = run(manager.upkeep(dry_run=True))
    assert len(run(manager.get_memories())) == 2
    report = run(manager.upkeep())
    assert dry.counts == report.counts == {"superseded": 1}
    assert [entry.content for entry in run(manager.search_memory("where does Ana live"))] == ["Ana moved to Lisbon"]


def test_upkeep_merges_near_duplicates_unless_told_not_to(mind: Mind) -> None:
    manager = MemoryManager(MemoryConfig(consolidate=False), mind=mind)
    for text in ("Ana likes green tea", "Ana likes the green tea!"):
        run(manager.add_memory(text, "long_term"))
    assert run(manager.upkeep(dry_run=True)).counts == {}
    assert run(MemoryManager(mind=mind).upkeep()).counts == {"merged": 1}
    assert len(run(manager.get_memories())) == 1


def test_upkeep_prunes_what_has_become_weak(clock: Clock) -> None:
    with Mind(":memory:", clock=clock) as mind:
        manager = MemoryManager(MemoryConfig(half_life=10), mind=mind)
        run(manager.add_memory("small talk about rain", "long_term", importance=1))
        run(manager.add_memory("Ana is allergic to peanuts", "long_term", importance=9))
        assert run(manager.upkeep()).counts == {}
        clock.advance(days=400)
        assert run(MemoryManager(MemoryConfig(prune_below=None), mind=mind).upkeep(dry_run=True)).counts == {}
        assert run(manager.upkeep()).counts == {"pruned": 1}


def test_upkeep_prunes_no_turn_of_a_fresh_conversation(mind: Mind) -> None:
    context = ConversationContext("monday", mind=mind)
    run(context.add_message(Message("user", "Hello!")))
    assert run(context.memory.upkeep()).counts == {}


def test_upkeep_runs_in_the_background(mind: Mind) -> None:
    manager = MemoryManager(mind=mind)
    run(manager.add_memory("Ana lives in Porto", "long_term"))
    run(manager.add_memory("Ana moved to Lisbon", "long_term"))
    done = threading.Event()
    with manager.background_upkeep(every=60, on_report=lambda _report: done.set()):
        assert done.wait(30)
    assert len(run(manager.get_memories())) == 1


def test_upkeep_leaves_others_alone(mind: Mind) -> None:
    ana, bo = (MemoryManager(MemoryConfig(user=user), mind=mind) for user in ("ana", "bo"))
    for manager in (ana, bo):
        run(manager.add_memory("Ana lives in Porto", "long_term"))
        run(manager.add_memory("Ana moved to Lisbon", "long_term"))
    run(ana.upkeep())
    assert (len(run(ana.get_memories())), len(run(bo.get_memories()))) == (1, 2)


def test_without_a_user_the_memories_of_users_are_not_seen(mind: Mind) -> None:
    ana, nobody = (MemoryManager(MemoryConfig(user=user), mind=mind) for user in ("ana", None))
    run(ana.add_memory("The key is under the mat", "long_term"))
    run(nobody.add_memory("The shop opens at nine", "long_term"))
    assert [entry.content for entry in run(nobody.get_memories())] == ["The shop opens at nine"]
    assert run(nobody.search_memory("Where is the key?")) == []
    assert run(nobody.forget_memory(memory_type="long_term")) == 1
    assert len(run(ana.get_memories())) == 1


def test_a_turn_that_a_newer_one_closed_stays_in_the_history(mind: Mind) -> None:
    context = ConversationContext("monday", MemoryConfig(), mind=mind)
    for said in ("I live in Porto", "I moved to Lisbon"):
        run(context.add_message(Message("user", said)))
    assert run(context.memory.upkeep()).counts == {"superseded": 1}
    again = ConversationContext("monday", MemoryConfig(), mind=mind)
    assert [message.content for message in again.history] == ["I live in Porto", "I moved to Lisbon"]


def test_a_closed_turn_from_before_the_window_is_not_in_the_history(mind: Mind) -> None:
    context = ConversationContext("monday", MemoryConfig(window=10), mind=mind)
    for said in ("I live in Porto", "I moved to Lisbon"):
        run(context.add_message(Message("user", said)))
    run(context.memory.upkeep())
    again = talk(mind, 12, window=10)
    assert "I live in Porto" not in [message.content for message in again.memory.turns()]


def test_without_summaries_too_what_is_protected_stays(mind: Mind) -> None:
    manager = MemoryManager(MemoryConfig(window=4, summarise=False), session="monday", mind=mind)
    run(manager.add_memory("Never give me penicillin", "short_term", importance=10))
    for number in range(6):
        run(manager.add_memory(f"whale {number}", "short_term"))
    kept = [entry.content for entry in run(manager.get_memories("short_term"))]
    assert kept == ["Never give me penicillin", "whale 3", "whale 4", "whale 5"]


@pytest.mark.parametrize(("role", "text"), [("", "hello"), (5, "hello"), ("user", "a" * 250_001)])
def test_a_short_term_memory_that_is_no_message_leaves_the_conversation_open(mind: Mind, role: Any, text: str) -> None:
    manager = MemoryManager(MemoryConfig(), session="monday", mind=mind)
    run(manager.add_memory(text, "short_term", {"role": role}))
    assert len(ConversationContext("monday", mind=mind).history) == 0
