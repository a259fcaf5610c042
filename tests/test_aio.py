from __future__ import annotations

import asyncio
import inspect
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from mnemic import AsyncMind, Mind
from mnemic.errors import InvalidInput, MindClosed, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERBS = [name for name, _ in inspect.getmembers(Mind, inspect.isfunction) if not name.startswith("_")]
WALKS = {"pages", "records"}


@pytest.mark.parametrize("verb", [*VERBS, "__init__"])
def test_each_verb_takes_the_same_arguments(verb: str) -> None:
    assert inspect.signature(getattr(AsyncMind, verb)) == inspect.signature(getattr(Mind, verb))


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_the_same_description(verb: str) -> None:
    assert getattr(AsyncMind, verb).__doc__ == getattr(Mind, verb).__doc__
    assert getattr(AsyncMind, verb).__name__ == verb


def test_it_has_no_verb_of_its_own() -> None:
    own = {name for name, _ in inspect.getmembers(AsyncMind, inspect.isfunction) if not name.startswith("_")}
    assert own == set(VERBS)


@pytest.mark.parametrize("path", ["folder", ":memory:"])
def test_the_verbs_do_what_they_do(tmp_path: Path, path: str) -> None:
    async def live() -> None:
        async with AsyncMind(path if path == ":memory:" else tmp_path) as mind:
            old = (await mind.remember("Ana lives in Porto", user="ana")).memory
            new, _ = await mind.remember_many([{"text": "Ana lives in Lisbon", "user": "ana"}, {"text": "other"}])
            await mind.supersede(old.id, new.memory.id)
            assert [hit.memory for hit in await mind.recall("where does Ana live", user="ana")] == [new.memory]
            assert "Lisbon" in await mind.context("Ana", user="ana", budget=500)
            assert not (await mind.explain("Ana", old.id, user="ana")).recalled
            assert (await mind.revise(old.id, text="Ana lived in Porto")).revision == 3
            await mind.unsupersede(old.id)
            link = await mind.link(old.id, new.memory.id, "before")
            assert await mind.links(old.id) == [link]
            await mind.unlink(old.id, new.memory.id, "before")
            assert await mind.count(everywhere=True) == 3
            assert await mind.tally("user", everywhere=True) == {"ana": 2, None: 1}
            assert [len(page) async for page in mind.pages(everywhere=True, size=2)] == [2, 1]
            assert await mind.forget(old.id) == 1
            assert (await mind.history(old.id))[-1].kind == "forgotten"
            assert (await mind.stats())["memories"] == 2
            await mind.backup(tmp_path / "copy.db")
            assert all(finding.ok for finding in await mind.doctor())
            async with AsyncMind(":memory:") as other:
                assert await other.adopt([record async for record in mind.records(everywhere=True)]) == [True, True]
            with pytest.raises(NotFound):
                await mind.get(old.id)
            with pytest.raises(InvalidInput):
                await mind.recall("")
        with pytest.raises(MindClosed):
            await mind.count()

    asyncio.run(live())


def test_many_may_remember_at_once(tmp_path: Path) -> None:
    async def live() -> None:
        async with AsyncMind(tmp_path) as mind:
            told = await asyncio.gather(*(mind.remember(f"note {n}", user=f"u{n % 7}") for n in range(100)))
            assert len({one.memory.id for one in told}) == 100
            assert await mind.count(everywhere=True) == 100
            again = await asyncio.gather(*(mind.remember("same") for _ in range(20)))
            assert sum(one.created for one in again) == 1
            assert (await mind.recall("same"))[0].memory.evidence == 20
            assert all(finding.ok for finding in await mind.doctor())

    asyncio.run(live())


def test_the_loop_goes_on_while_a_verb_works(tmp_path: Path) -> None:
    async def live() -> None:
        started, go_on = threading.Event(), threading.Event()

        def drafts() -> Iterator[dict[str, str]]:
            started.set()
            assert go_on.wait(30)
            yield {"text": "late"}

        async with AsyncMind(tmp_path) as mind:
            slow = asyncio.create_task(mind.remember_many(drafts()))
            await asyncio.to_thread(started.wait, 30)
            await mind.remember("early")
            go_on.set()
            await slow
            assert [memory.text async for page in mind.pages() for memory in page] == ["early", "late"]

    asyncio.run(live())


def test_cancelling_keeps_all_of_a_batch_or_none(tmp_path: Path) -> None:
    async def live() -> None:
        async with AsyncMind(tmp_path) as mind:
            for n in range(10):
                task = asyncio.create_task(mind.remember_many({"text": f"{n} {m}", "user": f"u{n}"} for m in range(50)))
                await asyncio.sleep(n / 1000)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await mind.remember("after")

    asyncio.run(live())
    with Mind(tmp_path) as mind:
        assert {mind.count(user=f"u{n}") for n in range(10)} <= {0, 50}
        assert mind.count() == 1
        assert all(finding.ok for finding in mind.doctor())
