"""AsyncMind: the methods of a Mind as coroutines, run in threads."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from mnemic.mind import Mind, utc_now

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
    from datetime import datetime
    from types import TracebackType

    from mnemic.ports import Embedder, Reranker, Store

P = ParamSpec("P")
R = TypeVar("R")


def _awaitable(
    method: Callable[Concatenate[Mind, P], R],
) -> Callable[Concatenate[AsyncMind, P], Coroutine[Any, Any, R]]:
    async def run(self: AsyncMind, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.mind, *args, **kwargs)

    functools.update_wrapper(run, method)
    return run


def _async_iterator(
    method: Callable[Concatenate[Mind, P], Iterator[R]],
) -> Callable[Concatenate[AsyncMind, P], AsyncIterator[R]]:
    async def run(self: AsyncMind, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        items = await asyncio.to_thread(method, self.mind, *args, **kwargs)
        while (item := await asyncio.to_thread(next, items, None)) is not None:
            yield item

    functools.update_wrapper(run, method)
    return run


class AsyncMind:
    """A Mind whose methods are coroutines."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Open the mind in a folder, as `Mind` does."""
        self.mind = Mind(path, embedder=embedder, reranker=reranker, clock=clock)

    @classmethod
    def over(
        cls,
        store: Store,
        *,
        embedder: Embedder,
        reranker: Reranker | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> AsyncMind:
        """Open a mind over a store of your own."""
        mind = cls.__new__(cls)
        mind.mind = Mind.over(store, embedder=embedder, reranker=reranker, clock=clock)
        return mind

    async def __aenter__(self) -> AsyncMind:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    close = _awaitable(Mind.close)
    remember = _awaitable(Mind.remember)
    remember_many = _awaitable(Mind.remember_many)
    recall = _awaitable(Mind.recall)
    context = _awaitable(Mind.context)
    explain = _awaitable(Mind.explain)
    get = _awaitable(Mind.get)
    count = _awaitable(Mind.count)
    tally = _awaitable(Mind.tally)
    pages = _async_iterator(Mind.pages)
    history = _awaitable(Mind.history)
    revise = _awaitable(Mind.revise)
    supersede = _awaitable(Mind.supersede)
    unsupersede = _awaitable(Mind.unsupersede)
    forget = _awaitable(Mind.forget)
    unforget = _awaitable(Mind.unforget)
    link = _awaitable(Mind.link)
    unlink = _awaitable(Mind.unlink)
    links = _awaitable(Mind.links)
    merge = _awaitable(Mind.merge)
    unmerge = _awaitable(Mind.unmerge)
    changes = _awaitable(Mind.changes)
    mark = _awaitable(Mind.mark)
    set_mark = _awaitable(Mind.set_mark)
    use = _awaitable(Mind.use)
    uses = _awaitable(Mind.uses)
    records = _async_iterator(Mind.records)
    adopt = _awaitable(Mind.adopt)
    stats = _awaitable(Mind.stats)
    backup = _awaitable(Mind.backup)
    doctor = _awaitable(Mind.doctor)
