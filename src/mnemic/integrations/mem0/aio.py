"""mem0's AsyncMemory: the calls of Memory, run in threads."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from mnemic.integrations.mem0.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from types import TracebackType

    from mnemic.mind import Mind
    from mnemic.ports import Llm

P = ParamSpec("P")
R = TypeVar("R")


def _awaitable(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    async def run(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self.memory, *args, **kwargs)

    functools.update_wrapper(run, verb)
    return run


class AsyncMemory:
    """mem0's AsyncMemory, backed by a mind."""

    def __init__(self, config: object = None, *, mind: Mind | None = None, llm: str | Llm | None = None) -> None:
        """Open a memory as Memory does."""
        self.memory = Memory(config, mind=mind, llm=llm)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        """Open the memory that mem0's configuration describes."""
        return cls(config_dict)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the mind, unless the caller passed it in; not awaited, as in mem0."""
        self.memory.close()

    add = _awaitable(Memory.add)
    get = _awaitable(Memory.get)
    get_all = _awaitable(Memory.get_all)
    search = _awaitable(Memory.search)
    update = _awaitable(Memory.update)
    delete = _awaitable(Memory.delete)
    delete_all = _awaitable(Memory.delete_all)
    history = _awaitable(Memory.history)
    reset = _awaitable(Memory.reset)
    chat = _awaitable(Memory.chat)
