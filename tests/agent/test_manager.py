"""MemoryManager: typed memories for an application."""

from __future__ import annotations

import asyncio
import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import MemoryConfig, MemoryEntry, MemoryManager, MemoryTypes, Mind, ScriptedLlm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TYPES = [MemoryTypes.SHORT_TERM, MemoryTypes.WORKING, MemoryTypes.LONG_TERM, MemoryTypes.EPISODIC]
run = asyncio.run


@pytest.fixture
def mind() -> Iterator[Mind]:
    with Mind(":memory:") as mind:
        yield mind


@pytest.fixture
def manager(mind: Mind) -> MemoryManager:
    return MemoryManager(MemoryConfig(), mind=mind)


def contents(entries: list[MemoryEntry]) -> list[str]:
    return [entry.content for entry in entries]


def fill(manager: MemoryManager) -> None:
    """Keep a memory of each type."""
    for memory_type in TYPES:
        run(manager.add_memory(f"whales sing in {memory_type}", memory_type, {"kind": memory_type[0]}))


@pytest.mark.parametrize("memory_type", TYPES)
def test_each_type_is_searched_alone(manager: MemoryManager, memory_type: str) -> None:
    fill(manager)
    (found,) = run(manager.search_memory("whales", memory_type))
    assert (found.content, found.memory_type) == (f"whales sing in {memory_type}", memory_type)


def test_all_types_are_searched_together(manager: MemoryManager) -> None:
    fill(manager)
    assert {entry.memory_type for entry in run(manager.search_memory("whales"))} == set(TYPES)
    assert len(run(manager.search_memory("whales", limit=2))) == 2


@pytest.mark.parametrize("memory_type", TYPES)
def test_each_type_is_filtered(manager: MemoryManager, memory_type: str) -> None:
    fill(manager)
    run(manager.add_memory("whales dive", memory_type, {"kind": "z"}, importance=9))
    assert contents(run(manager.search_memory("whales", memory_type, filters={"metadata.kind": "z"}))) == [
        "whales dive"
    ]
    assert contents(run(manager.get_memories(memory_type, {"importance": {"gte": 8}}))) == ["whales dive"]


@pytest.mark.parametrize("memory_type", TYPES)
def test_each_type_is_forgotten_alone(manager: MemoryManager, memory_type: str) -> None:
    fill(manager)
    assert run(manager.forget_memory(memory_type=memory_type)) == 1
    assert [entry.memory_type for entry in run(manager.get_memories())] == [one for one in TYPES if one != memory_type]


def test_a_memory_is_forgotten_by_id_entry_or_filter(manager: MemoryManager) -> None:
    fill(manager)
    first, second, *_ = run(manager.get_memories())
    run(manager.forget_memory(first.id))
    run(manager.forget_memory(second))
    assert run(manager.forget_memory(filters={"metadata.kind": "l"})) == 1
    assert [entry.memory_type for entry in run(manager.get_memories())] == ["episodic"]


def test_an_entry_tells_everything(manager: MemoryManager) -> None:
    before = datetime.now(UTC)
    added = run(manager.add_memory("Ana is allergic to peanuts", "long_term", {"source": "doc-7", "page": 3}))
    (found,) = run(manager.search_memory("peanuts"))
    assert found.score is not None
    assert dataclasses.replace(found, score=None) == added
    assert (found.source, found.metadata) == ("doc-7", {"source": "doc-7", "page": 3})
    assert before <= found.timestamp <= datetime.now(UTC)
    assert len(found.embedding) == manager.mind.embedder.dimension
    assert found.importance_score > run(manager.add_memory("ok", "long_term")).importance_score


def test_a_source_left_out_is_unknown(manager: MemoryManager) -> None:
    assert run(manager.add_memory("hello there", "working")).source == "unknown"


def test_an_entry_is_built_as_the_document_shows() -> None:
    entry = MemoryEntry("text", [0.1], {}, datetime.now(UTC), "source", 5.0)
    assert (entry.content, entry.importance_score, entry.id) == ("text", 5.0, "")


def test_a_language_model_weighs_long_term_memories(mind: Mind) -> None:
    llm = ScriptedLlm([{"importance": 9, "reason": "health"}])
    manager = MemoryManager(MemoryConfig(llm=llm), mind=mind)
    assert run(manager.add_memory("She carries an inhaler", "long_term")).importance_score == 9
    run(manager.add_memory("fine weather", "short_term"))
    assert len(llm.asked) == 1


def test_what_is_worth_it_is_learned_from_a_conversation(manager: MemoryManager) -> None:
    learned = run(manager.learn([{"role": "user", "content": "My name is Ana. How are you?"}]))
    assert contents(learned) == ["user: My name is Ana."]
    assert learned[0].memory_type == "long_term"


def test_used_memories_are_noted(manager: MemoryManager) -> None:
    entry = run(manager.add_memory("whales sing", "long_term"))
    run(manager.use([entry]))
    assert manager.mind.uses([entry.id])[entry.id].count == 1


def test_sessions_share_knowledge_but_not_what_is_said(mind: Mind) -> None:
    monday = MemoryManager(session="monday", mind=mind)
    tuesday = MemoryManager(session="tuesday", mind=mind)
    fill(monday)
    assert [entry.memory_type for entry in run(tuesday.get_memories())] == ["long_term", "episodic"]
    assert {entry.memory_type for entry in run(tuesday.search_memory("whales"))} == {"long_term", "episodic"}
    assert run(tuesday.forget_memory(memory_type="working")) == 0
    assert len(run(monday.get_memories())) == 4


def test_agents_and_users_share_nothing(mind: Mind) -> None:
    ana = MemoryManager(MemoryConfig(agent="bot", user="ana"), mind=mind)
    entry = run(ana.add_memory("Ana sails", "long_term"))
    for config in (MemoryConfig(agent="bot", user="bo"), MemoryConfig(agent="other", user="ana")):
        stranger = MemoryManager(config, mind=mind)
        assert run(stranger.search_memory("sails")) == []
        with pytest.raises(LookupError):
            run(stranger.forget_memory(entry.id))
    assert len(run(ana.get_memories())) == 1


def test_memories_are_kept_where_the_configuration_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path / "home"))

    async def work(path: Path | None) -> list[str]:
        async with MemoryManager(MemoryConfig(path=path)) as manager:
            await manager.add_memory(f"kept in {path}", "long_term")
        async with MemoryManager(MemoryConfig(path=path)) as again:
            return contents(await again.get_memories())

    assert run(work(tmp_path / "own")) == [f"kept in {tmp_path / 'own'}"]
    assert run(work(None)) == ["kept in None"]
    assert (tmp_path / "home" / "mind").exists()


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("", "long_term"), "content"),
        ((5, "long_term"), "content"),
        (("nul \0", "long_term"), "content"),
        (("hello", "medium_term"), "memory_type"),
        (("hello", None), "memory_type"),
        (("hello", "long_term", "metadata"), "metadata"),
        (("hello", "long_term", {"x": float("nan")}), "metadata"),
        (("hello", "long_term", {"source": 5}), "metadata.source"),
    ],
)
def test_a_wrong_memory_is_refused_by_name(manager: MemoryManager, arguments: Any, field: str) -> None:
    with pytest.raises((ValueError, TypeError), match=field):
        run(manager.add_memory(*arguments))
    assert run(manager.get_memories()) == []


@pytest.mark.parametrize("wrong", [float("nan"), 0, 11, "high", True])
def test_a_wrong_importance_is_refused(manager: MemoryManager, wrong: Any) -> None:
    with pytest.raises(ValueError, match="importance"):
        run(manager.add_memory("hello", "long_term", importance=wrong))
    assert run(manager.get_memories()) == []


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x", "memory_type": "other"}, "memory_type"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "filters": {}}, "filters"),
        ({"query": "x", "filters": "role"}, "filters"),
        ({"query": "x", "filters": {"role": "user"}}, "role"),
    ],
)
def test_a_wrong_search_is_refused_by_name(manager: MemoryManager, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=field):
        run(manager.search_memory(**arguments))


def test_forgetting_nothing_in_particular_is_refused(manager: MemoryManager) -> None:
    fill(manager)
    with pytest.raises(ValueError, match="id"):
        run(manager.forget_memory())
    with pytest.raises(ValueError, match="never stored"):
        run(manager.forget_memory(MemoryEntry("x", [], {}, datetime.now(UTC), "s", 5.0)))
    assert len(run(manager.get_memories())) == 4


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("agent", ""),
        ("agent", None),
        ("user", " "),
        ("window", 1),
        ("window", "9"),
        ("summarise", 1),
        ("half_life", 0),
        ("prune_below", float("nan")),
        ("prune_below", 11),
        ("consolidate", None),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(field: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=field):
        MemoryConfig(**{field: wrong})


def test_a_manager_takes_a_configuration_only() -> None:
    with pytest.raises(TypeError, match="config"):
        MemoryManager({"path": "x"})
