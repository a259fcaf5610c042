"""mem0 as the backend of a PersistentMemory: the real package, a local Qdrant folder, our embedder, no key."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import PersistentMemory, ScriptedLlm
from mnemic.agent.mem0_backend import configured
from mnemic.embedders.table import TableEmbedder
from mnemic.errors import MindClosed, ModelError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

HELLO = [{"role": "user", "content": "My name is Alice"}, {"role": "assistant", "content": "How may I help?"}]


def qdrant(folder: Path) -> dict[str, Any]:
    return {"provider": "qdrant", "config": {"path": str(folder / "qdrant"), "on_disk": True}}


def history(folder: Path) -> dict[str, Any]:
    return {"history_db_path": str(folder / "history.db")}


def opened(folder: Path, **arguments: Any) -> PersistentMemory:
    given = {"agent_name": "helper", "vector_store_config": qdrant(folder), "mem0_config": history(folder)}
    return PersistentMemory(**(given | arguments))


def test_mem0_keeps_memories_across_restarts(tmp_path: Path) -> None:
    async def work() -> str:
        async with opened(tmp_path) as memory:
            recorded = await memory.record(HELLO)
            assert len(recorded.memory_ids) == 1
        async with opened(tmp_path) as again:
            return await again.retrieve("What's the user's name?")

    told = asyncio.run(work())
    assert "My name is Alice" in told
    assert told.startswith("<memories>")
    assert (tmp_path / "qdrant" / "collection" / "mem0").is_dir()


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    async def work() -> None:
        memory = opened(tmp_path)
        await memory.close()
        await memory.close()
        with pytest.raises(MindClosed):
            await memory.retrieve("name")

    asyncio.run(work())


@pytest.mark.parametrize("infer", [True, False])
def test_a_conversation_recorded_again_is_stored_in_mem0_once(tmp_path: Path, infer: bool) -> None:
    async def work() -> list[tuple[str, ...]]:
        async with opened(tmp_path) as memory:
            return [(await memory.record(HELLO[:1], infer=infer)).memory_ids for _ in range(2)]

    first, again = asyncio.run(work())
    assert len(first) == 1
    assert again == first


def test_mem0s_own_values_are_taken(tmp_path: Path) -> None:
    from mem0.configs.base import MemoryConfig
    from mem0.vector_stores.configs import VectorStoreConfig

    async def work() -> dict[str, Any]:
        config = MemoryConfig(**history(tmp_path), vector_store=VectorStoreConfig(**qdrant(tmp_path)))
        async with PersistentMemory(user_name="alice", mem0_config=config) as memory:
            await memory.save_to_memory("why", ["Alice likes blue"])
            return await memory.recall_from_memory(["blue"])

    assert asyncio.run(work())["memories"] == ["Alice likes blue"]


def test_the_tools_save_once_and_recall(tmp_path: Path) -> None:
    async def work() -> tuple[Any, ...]:
        async with opened(tmp_path) as memory:
            first = await memory.save_to_memory("why", ["Alice likes blue", "Alice is a teacher"])
            second = await memory.save_to_memory("why", ["Alice is a teacher"])
            return first, second, await memory.recall_from_memory(["teacher", "likes blue"], limit=1)

    first, second, found = asyncio.run(work())
    assert second["memory_ids"] == first["memory_ids"][1:]
    assert found["memories"] == ["Alice is a teacher", "Alice likes blue"]


def test_names_are_kept_apart_in_mem0(tmp_path: Path) -> None:
    names = [
        ("a", None, None),
        (None, "a", None),
        ("a", "b&user_id=c", None),
        ("a", None, "👩‍👩‍👧"),
        ("x" * 200, None, None),
    ]

    async def work() -> list[int]:
        counts = []
        for place, (agent, user, session) in enumerate(names):
            async with opened(tmp_path, agent_name=agent, user_name=user, session_name=session) as memory:
                await memory.save_to_memory("why", [f"secret number {place}"])
        for agent, user, session in names:
            async with opened(tmp_path, agent_name=agent, user_name=user, session_name=session) as memory:
                counts.append((await memory.recall_from_memory(["secret number"], limit=50))["count"])
        return counts

    assert asyncio.run(work()) == [3, 1, 1, 1, 1]


@pytest.mark.parametrize("name", ["*", "a b", " a", "a\n"])
def test_a_name_that_mem0_would_confuse_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="agent_id"):
        opened(tmp_path, agent_name=name)


def test_what_was_recalled_is_not_stored_in_mem0_again(tmp_path: Path) -> None:
    async def work() -> int:
        async with opened(tmp_path) as memory:
            await memory.save_to_memory("why", ["Alice plays the cello"])
            await memory.retrieve("cello")
            await memory.record(
                [{"role": "assistant", "content": "You told me that Alice plays the cello."}], infer=False
            )
            count: int = (await memory.recall_from_memory(["cello"]))["count"]
            return count

    assert asyncio.run(work()) == 1


def test_our_language_model_extracts_for_mem0(tmp_path: Path) -> None:
    llm = ScriptedLlm([{"memory": [{"id": "0", "text": "The user is called Alice", "attributed_to": "user"}]}])

    async def work() -> tuple[Any, str]:
        async with opened(tmp_path, llm_backend=llm) as memory:
            return await memory.record(HELLO), await memory.retrieve("Alice")

    recorded, told = asyncio.run(work())
    assert recorded.by == "mem0"
    assert "The user is called Alice" in told


def test_a_failing_language_model_is_reported_and_the_message_can_be_recorded_later(tmp_path: Path) -> None:
    found = {"memory": [{"id": "0", "text": "The user is called Alice"}]}
    message = {"id": "msg_1", "role": "user", "content": "My name is Alice"}

    async def work() -> str:
        async with opened(tmp_path, llm_backend=ScriptedLlm([ModelError("timed out"), found])) as memory:
            with pytest.raises(StoreError, match=r"mem0 failed.*timed out"):
                await memory.record([message])
            assert await memory.retrieve("Alice") == ""
            await memory.record([message])
            return await memory.retrieve("Alice")

    assert "The user is called Alice" in asyncio.run(work())


def test_mem0s_own_language_model_is_replaced_only_by_one_that_is_given(tmp_path: Path) -> None:
    llm, config = ScriptedLlm([]), history(tmp_path) | {"llm": {"provider": "lmstudio", "config": {"model": "own"}}}
    kept, infers = configured(config, qdrant(tmp_path), llm=llm, embedder=TableEmbedder())
    replaced, _ = configured(config, qdrant(tmp_path), llm=llm, embedder=TableEmbedder(), replace={"llm"})
    assert infers
    assert (kept.llm.provider, replaced.llm.provider) == ("lmstudio", "mnemic")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"mem0_config": "x"}, "mem0_config"),
        ({"mem0_config": {"storage": "x"}}, "storage"),
        ({"vector_store_config": {"provider": "nowhere"}}, "vector_store_config"),
        ({"vector_store_config": {"provider": "qdrant", "config": {"colour": "red"}}}, "vector_store_config"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(tmp_path: Path, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=field):
        opened(tmp_path, **arguments)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Qdrant leaves its lock file open
def test_a_folder_in_use_is_reported(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path):
            with pytest.raises(StoreError, match="already accessed"):
                opened(tmp_path)

    asyncio.run(work())


@pytest.mark.slow
def test_mem0_sends_nothing_home(tmp_path: Path) -> None:
    program = f"""
import asyncio, os, sys
os.environ["MEM0_DIR"] = {str(tmp_path)!r}
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("called", event, arguments)
sys.addaudithook(refuse)
import mem0, mem0.configs.base
from mnemic import PersistentMemory
async def main():
    async with PersistentMemory("helper", vector_store_config={qdrant(tmp_path)!r}) as memory:
        await memory.record([{{"role": "user", "content": "My name is Alice"}}])
        print("Alice" in await memory.retrieve("name"))
asyncio.run(main())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "True\n"


def test_without_mem0_the_error_names_the_extra() -> None:
    program = """
import sys
sys.modules["mem0"] = None
from mnemic import PersistentMemory
from mnemic.agent.mem0_backend import configured
from mnemic.embedders.table import TableEmbedder
from mnemic.errors import ModelMissing
try:
    PersistentMemory("helper", mem0_config={})
except ModelMissing as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install '.[mem0]'" in ran.stdout
