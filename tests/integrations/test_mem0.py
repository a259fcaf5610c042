"""Mnemic in the shape of mem0: the same calls give the same shapes as the real package."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Mind, MnemicError, ScriptedLlm
from mnemic.agent.mem0_backend import configured, open_mem0
from mnemic.embedders.table import TableEmbedder
from mnemic.integrations.mem0 import AsyncMemory, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

SAID = [
    {"role": "user", "content": "I love green tea", "name": "ana"},
    {"role": "assistant", "content": "Noted, green tea it is"},
    {"role": "system", "content": "be kind"},
]
ANA = {"user_id": "ana"}


@pytest.fixture
def ours() -> Iterator[Memory]:
    with Mind(":memory:") as mind:
        yield Memory(mind=mind)


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[Any]:
    store = {"provider": "qdrant", "config": {"path": str(tmp_path / "qdrant")}}
    config, _ = configured({"history_db_path": str(tmp_path / "history.db")}, store, llm=None, embedder=TableEmbedder())
    memory = open_mem0(config)
    yield memory
    memory.close()
    memory.vector_store.client.close()


def shape(value: object) -> object:
    """Return what a JSON value is made of, without what differs from run to run."""
    if isinstance(value, dict):
        varying = ("id", "memory_id", "created_at", "updated_at", "score")
        return {key: type(part) if key in varying else shape(part) for key, part in sorted(value.items())}
    if isinstance(value, list):
        return [shape(part) for part in value]
    return value


def fill(memory: Any) -> list[str]:
    """Add what Ana and her agent said, and return the ids."""
    added = memory.add(SAID, user_id="ana", metadata={"year": 2026, "tags": ["drink"]}, infer=False)
    return [one["id"] for one in added["results"]]


CALLS: dict[str, Callable[[Any, list[str]], Any]] = {
    "add": lambda memory, _ids: memory.add("Bo sails", agent_id="x", run_id="r", infer=False),
    "add with an end": lambda memory, _ids: memory.add("Bo", user_id="bo", expiration_date="2999-01-01", infer=False),
    "get": lambda memory, ids: memory.get(ids[0]),
    "get nothing": lambda memory, _ids: memory.get("00000000-0000-7000-8000-000000000000"),
    "get rubbish": lambda memory, _ids: memory.get("rubbish"),
    "search": lambda memory, _ids: memory.search("green tea I love", filters=ANA, top_k=1),
    "search for nobody": lambda memory, _ids: memory.search("tea", filters={"user_id": "bo"}),
    "update": lambda memory, ids: [memory.update(ids[0], text="I love tea", metadata={"z": 1}), memory.get(ids[0])],
    "update metadata": lambda memory, ids: [memory.update(ids[0], metadata={"year": 1}), memory.history(ids[0])],
    "update an end": lambda memory, ids: [memory.update(ids[0], expiration_date="2999-12-31"), memory.get(ids[0])],
    "clear an end": lambda memory, ids: memory.update(ids[0], expiration_date=None),
    "history": lambda memory, ids: [
        memory.update(ids[0], text="I love tea"),
        memory.delete(ids[0]),
        memory.history(ids[0]),
    ],
    "history of nothing": lambda memory, _ids: memory.history("00000000-0000-7000-8000-000000000000"),
    "delete": lambda memory, ids: [memory.delete(ids[0]), memory.get(ids[0])],
    "delete all": lambda memory, _ids: [memory.delete_all(user_id="ana"), memory.get_all(filters=ANA)],
    "reset": lambda memory, _ids: [memory.reset(), memory.get_all(filters=ANA)],
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_returns_what_mem0_returns(call: str, ours: Memory, theirs: Any) -> None:
    mine, other = (CALLS[call](memory, fill(memory)) for memory in (ours, theirs))
    assert shape(mine) == shape(other)


def test_what_is_extracted_has_the_shape_of_mem0(tmp_path: Path) -> None:
    found = {"memory": [{"id": "0", "text": "user: My name is Ana", "attributed_to": "user"}]}
    store = {"provider": "qdrant", "config": {"path": str(tmp_path / "qdrant")}}
    history = {"history_db_path": str(tmp_path / "history.db")}
    config, infers = configured(history, store, llm=ScriptedLlm([found]), embedder=TableEmbedder())
    theirs = open_mem0(config)
    with Mind(":memory:") as mind:
        mine, other = (memory.add("My name is Ana", user_id="ana") for memory in (Memory(mind=mind), theirs))
    theirs.close()
    theirs.vector_store.client.close()
    assert infers
    assert shape(mine) == shape(other)


def test_all_memories_are_those_of_mem0(ours: Memory, theirs: Any) -> None:
    for memory in (ours, theirs):
        fill(memory)
    mine, other = (memory.get_all(filters=ANA)["results"] for memory in (ours, theirs))
    assert shape(mine) == shape(sorted(other, key=lambda one: one["created_at"]))


FILTERS: dict[str, dict[str, Any]] = {
    "eq": {"year": 2024},
    "eq spelled out": {"year": {"eq": 2024}},
    "in": {"kind": {"in": ["tea", "coffee"]}},
    "a list": {"kind": ["tea", "water"]},
    "gte": {"year": {"gte": 2025}},
    "between": {"year": {"gt": 2023, "lt": 2026}},
    "contains": {"kind": {"contains": "coffee"}},
    "and": {"AND": [{"year": {"gte": 2025}}, {"kind": "tea"}]},
    "an id inside and": {"AND": [{"user_id": "ana"}, {"kind": "tea"}]},
    "or": {"OR": [{"year": 2024}, {"kind": "tea"}]},
    "not": {"NOT": [{"kind": "tea"}, {"year": 2024}]},
    "nothing": {"kind": "milk"},
}


def test_ids_may_stand_inside_an_and_as_the_hosted_service_takes_them(ours: Memory) -> None:
    fill(ours)
    found = ours.search("green tea", filters={"AND": [{"user_id": "ana"}, {"year": 2026}]})["results"]
    assert found == ours.search("green tea", filters=ANA)["results"] != []
    assert ours.get_all(filters={"AND": [{"user_id": "bo"}]}) == {"results": []}
    with pytest.raises(MnemicError, match="is given twice"):
        ours.get_all(filters=ANA | {"AND": [{"user_id": "bo"}]})


@pytest.mark.parametrize("filters", FILTERS)
def test_filters_choose_what_mem0_chooses(filters: str, ours: Memory, theirs: Any) -> None:
    found = []
    for memory in (ours, theirs):
        for kind, year in (("tea", 2024), ("tea", 2026), ("coffee", 2025)):
            memory.add(
                f"a drink of {kind} in {year}", user_id="ana", metadata={"kind": kind, "year": year}, infer=False
            )
        results = memory.search("drink", filters=ANA | FILTERS[filters])["results"]
        found.append({one["memory"] for one in results})
    assert found[0] == found[1]


ERRORS: dict[str, Callable[[Any], Any]] = {
    "search without an id": lambda memory: memory.search("tea"),
    "search with an empty id": lambda memory: memory.search("tea", filters={"user_id": " "}),
    "search for nothing": lambda memory: memory.search("  ", filters=ANA),
    "search for a number": lambda memory: memory.search(5, filters=ANA),
    "a wrong threshold": lambda memory: memory.search("tea", filters=ANA, threshold=2),
    "a wrong top_k": lambda memory: memory.search("tea", filters=ANA, top_k=-1),
    "an unknown operator": lambda memory: memory.search("tea", filters=ANA | {"OR": [{"year": {"like": 1}}]}),
    "an empty OR": lambda memory: memory.search("tea", filters=ANA | {"OR": []}),
    "get_all without an id": lambda memory: memory.get_all(),
    "update nothing": lambda memory: memory.update("00000000-0000-7000-8000-000000000000", text="x"),
    "update with nothing": lambda memory: memory.update("00000000-0000-7000-8000-000000000000"),
    "delete nothing": lambda memory: memory.delete("00000000-0000-7000-8000-000000000000"),
    "delete all of nobody": lambda memory: memory.delete_all(),
    "a wrong end": lambda memory: memory.add("x", user_id="ana", expiration_date="tomorrow", infer=False),
}


@pytest.mark.parametrize("call", ERRORS)
def test_what_mem0_refuses_is_refused(call: str, ours: Memory, theirs: Any) -> None:
    fill(ours)
    for memory in (ours, theirs):
        with pytest.raises(ValueError, match=r"."):
            ERRORS[call](memory)
    assert len(ours.get_all(filters=ANA)["results"]) == 2


@pytest.mark.parametrize("wrong", [5, None, [5], [{"role": "user"}], [{"role": "user", "content": "nul \0"}], []])
def test_wrong_messages_are_refused(ours: Memory, wrong: Any) -> None:
    with pytest.raises(ValueError, match="messages"):
        ours.add(wrong, user_id="ana")
    assert ours.mind.count(everywhere=True) == 0


def test_the_calls_of_the_first_version_work(ours: Memory) -> None:
    ours.add("I love tea", user_id="ana", infer=False)
    ours.add("I love milk", user_id="ana", infer=False)
    assert ours.search("love", user_id="ana", limit=1) == ours.search("love", filters=ANA, top_k=1)
    assert len(ours.get_all(user_id="ana", limit=1)["results"]) == 1
    id = ours.get_all(user_id="ana")["results"][0]["id"]
    ours.update(id, data="I love cocoa")
    assert ours.get(id)["memory"] == "I love cocoa"  # type: ignore[index]


def test_ids_are_numbers_too_and_are_trimmed(ours: Memory) -> None:
    ours.add("I love tea", user_id=7, infer=False)
    assert len(ours.get_all(filters={"user_id": " 7 "})["results"]) == 1


def test_an_id_given_twice_must_be_the_same(ours: Memory) -> None:
    with pytest.raises(ValueError, match="user_id"):
        ours.search("tea", user_id="ana", filters={"user_id": "bo"})


def test_a_star_is_not_everyone(ours: Memory) -> None:
    ours.add("I love tea", user_id="ana", metadata={"kind": "tea"}, infer=False)
    assert ours.search("tea", filters={"user_id": "*"})["results"] == []
    assert ours.search("tea", filters=ANA | {"kind": "*"})["results"] == []
    ours.delete_all(user_id="*")
    assert len(ours.get_all(filters=ANA)["results"]) == 1


def test_getting_all_truncates_nothing(ours: Memory) -> None:
    ours.mind.remember_many([{"text": f"memory {number}", "user": "ana"} for number in range(250)])
    assert len(ours.get_all(filters=ANA)["results"]) == 250
    assert len(ours.get_all(filters=ANA, top_k=120)["results"]) == 120


def test_what_has_ended_is_shown_on_request(ours: Memory) -> None:
    ours.add("I love tea", user_id="ana", expiration_date="2020-01-01", infer=False)
    ours.add("I love tea today", user_id="ana", infer=False)
    assert len(ours.search("tea", filters=ANA)["results"]) == 1
    assert len(ours.get_all(filters=ANA)["results"]) == 1
    assert len(ours.search("tea", filters=ANA, show_expired=True)["results"]) == 2
    assert ours.get_all(filters=ANA, show_expired=True)["results"][0]["expiration_date"] == "2020-01-01"


def test_facts_are_extracted_and_repeats_left_out(ours: Memory) -> None:
    added = ours.add([{"role": "user", "content": "My name is Ana. Nice day, is it not?"}], user_id="ana", run_id="r")
    assert [(one["memory"], one["event"]) for one in added["results"]] == [("user: My name is Ana.", "ADD")]
    assert ours.add("My name is Ana.", user_id="ana", run_id="r") == {"results": []}


def test_a_message_repeated_as_it_is_is_told_as_such(ours: Memory) -> None:
    first, again = (ours.add("I love tea", user_id="ana", infer=False)["results"][0] for _ in range(2))
    assert (first["event"], again["event"]) == ("ADD", "NONE")
    assert first["id"] == again["id"]


def test_a_language_model_extracts_and_summarises() -> None:
    found = {"facts": [{"text": "Ana loves tea", "category": "preference", "message": 1}]}
    llm = ScriptedLlm([found, {"summary": "Ana opened the file and read it."}])
    with Mind(":memory:") as mind:
        memory = Memory(mind=mind, llm=llm)
        added = memory.add("I, Ana, love tea", user_id="ana")
        did = memory.add("Ana opened the file and read it", agent_id="x", memory_type="procedural_memory")
    assert added["results"][0]["memory"] == "Ana loves tea"
    assert "opened the file" in did["results"][0]["memory"]


def test_the_configuration_names_the_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("MNEMIC_LLM_KEY", raising=False)
    with Mind(":memory:") as mind:
        Memory({"llm": {"provider": "openai", "config": {"model": "gpt-5"}}}, mind=mind)
        with pytest.raises(MnemicError, match="nowhere"):
            Memory({"llm": {"provider": "nowhere", "config": {"model": "x"}}}, mind=mind)


def test_another_memory_type_is_refused(ours: Memory) -> None:
    with pytest.raises(ValueError, match="memory_type"):
        ours.add("x", agent_id="x", memory_type="semantic")


def test_a_reset_leaves_what_other_doors_keep(ours: Memory) -> None:
    ours.add("I love tea", user_id="ana", infer=False)
    ours.mind.remember("Ana sails", user="ana")
    ours.reset()
    assert [one["memory"] for one in ours.get_all(filters=ANA)["results"]] == ["Ana sails"]


class Backwards:
    """A reranker that prefers short texts."""

    name = "backwards"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [1 / len(query + text) for text in texts]


def test_a_reranker_is_asked_when_there_is_one(ours: Memory) -> None:
    fill(ours)
    with pytest.raises(ValueError, match="MNEMIC_RERANKER"):
        ours.search("green tea", filters=ANA, rerank=True)
    with Mind(":memory:", reranker=Backwards()) as mind:
        memory = Memory(mind=mind)
        fill(memory)
        assert len(memory.search("green tea", filters=ANA, rerank=True, threshold=0)["results"]) == 2


def test_a_score_is_explained(ours: Memory) -> None:
    fill(ours)
    (best, *_) = ours.search("green tea", filters=ANA, explain=True)["results"]
    assert any("green" in reason for reason in best["score_details"]["reasons"])
    assert ours.search("green tea", filters=ANA, threshold=1.0, top_k=0) == {"results": []}


def test_the_configuration_names_the_folder(tmp_path: Path) -> None:
    config = {"vector_store": {"provider": "qdrant", "config": {"path": str(tmp_path / "here")}}, "version": "v1.1"}
    with Memory.from_config(config) as memory:
        memory.add("I love tea", user_id="ana", infer=False)
    with Mind(tmp_path / "here") as mind:
        assert mind.count(user="ana") == 1


def test_what_is_not_used_of_the_configuration_is_told() -> None:
    with pytest.warns(UserWarning, match="MNEMIC_EMBEDDER"), Mind(":memory:") as mind:
        Memory({"embedder": {"provider": "openai", "config": {"model": "x"}}}, mind=mind)


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ("x", "config"),
        ({"store": 1}, "store"),
        ({"vector_store": 5}, "vector_store"),
        ({"llm": {"config": {}}}, "model"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(config: Any, field: str) -> None:
    with pytest.raises(ValueError, match=field):
        Memory(config)


def test_memories_live_in_the_mind_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path))
    with Memory() as memory:
        memory.add("I love tea", user_id="ana", infer=False)
    assert (tmp_path / "mind").is_dir()


def test_every_call_can_be_awaited() -> None:
    verbs = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    for name in verbs - {"close"}:
        assert inspect.iscoroutinefunction(getattr(AsyncMemory, name)), name
        assert inspect.signature(getattr(AsyncMemory, name)) == inspect.signature(getattr(Memory, name))


def test_the_awaited_calls_do_the_same() -> None:
    async def work() -> Any:
        with Mind(":memory:") as mind:
            async with AsyncMemory(mind=mind) as memory:
                await memory.add("I love tea", user_id="ana", infer=False)
                return await memory.search("tea", filters=ANA)

    assert asyncio.run(work())["results"][0]["memory"] == "I love tea"


def test_mem0_itself_is_not_needed() -> None:
    program = """
import sys
sys.modules["mem0"] = sys.modules["qdrant_client"] = None
from mnemic import Mind
from mnemic.integrations.mem0 import Memory
with Mind(":memory:") as mind:
    memory = Memory(mind=mind)
    memory.add("My name is Ana", user_id="ana")
    print(memory.search("name", filters={"user_id": "ana"})["results"][0]["memory"])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "user: My name is Ana\n"


def test_there_is_no_chat(ours: Memory) -> None:
    with pytest.raises(NotImplementedError):
        ours.chat("hello")


@pytest.mark.parametrize(
    ("provider", "inner", "asked"),
    [
        ("openai", {"openai_base_url": "http://127.0.0.1:9/v1"}, "http://127.0.0.1:9/v1"),
        ("ollama", {"ollama_base_url": "http://127.0.0.1:9"}, "http://127.0.0.1:9/v1"),
        ("ollama", {"ollama_base_url": "http://127.0.0.1:9/v1/"}, "http://127.0.0.1:9/v1"),
    ],
)
def test_a_model_elsewhere_is_asked_there(provider: str, inner: dict[str, str], asked: str) -> None:
    config = {"llm": {"provider": provider, "config": {"model": "small", **inner}}}
    with Mind(":memory:") as mind:
        assert asked in repr(Memory(config, mind=mind)._llm)


def test_a_key_and_a_server_in_the_configuration_are_told_to_be_unused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path))
    model = {"model": "small", "openai_base_url": "http://127.0.0.1:9/v1", "api_key": "sk-secret"}
    store = {"provider": "qdrant", "config": {"host": "localhost"}}
    with pytest.warns(UserWarning, match="is not used") as told:
        Memory({"llm": {"provider": "openai", "config": model}, "vector_store": store}).close()
    said = " ".join(str(one.message) for one in told)
    assert "api_key" in said
    assert "vector_store" in said
    assert "sk-secret" not in said


def test_a_prompt_is_told_to_be_unused(ours: Memory) -> None:
    with pytest.warns(UserWarning, match="prompt is not used"):
        assert ours.add("I love green tea", **ANA, prompt="Extract tastes")["results"]


def test_yesterday_is_stored_as_a_day() -> None:
    with Mind(":memory:", clock=lambda: datetime(2026, 3, 5, 12, tzinfo=UTC)) as mind:
        (added,) = Memory(mind=mind).add("I moved to Lisbon yesterday", user_id="ana")["results"]
        assert mind.get(added["id"]).occurred_at == date(2026, 3, 4)
