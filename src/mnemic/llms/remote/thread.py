"""Asynchronous work run in a thread of its own, for callers that are not asynchronous."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterator

T = TypeVar("T")


def result_of(work: Coroutine[None, None, T]) -> T:
    """Return what a coroutine returns, run on a loop of its own in another thread."""

    async def once() -> AsyncIterator[T]:
        yield await work

    return next(iter(list(items_of(once()))))


def items_of(work: AsyncIterator[T]) -> Iterator[T]:
    """Yield what an asynchronous iterator yields, run on a loop of its own in another thread.

    So it also works under a running event loop. Closing the iterator early cancels the work.
    """
    items: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()
    loop = asyncio.new_event_loop()

    async def pump() -> None:
        async for item in work:
            items.put((item,))

    task = loop.create_task(pump())

    def run() -> None:
        try:
            loop.run_until_complete(task)
            items.put(None)
        except BaseException as error:  # noqa: BLE001 - it is raised where the work was asked for
            items.put(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    thread = Thread(target=run, name="mnemic-llm", daemon=True)
    thread.start()
    try:
        while (item := items.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item[0]
    finally:
        with suppress(RuntimeError):  # the loop may have closed by now
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
