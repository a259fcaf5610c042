"""A language model that answers from a script, for offline tests and examples."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from mnemic.errors import InvalidInput, ModelError
from mnemic.llms.shape import shaped
from mnemic.model.message import Message
from mnemic.model.message import messages as checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mnemic.ports import Shape

Reply: TypeAlias = Any
"""Text, a dict or a dataclass for a structured answer, or an error to raise."""


class ScriptedLlm:
    """A language model that answers from a script; `asked` lists the conversations it was given."""

    def __init__(
        self, replies: Iterable[Reply] | Callable[[list[Message]], Reply] = (), *, name: str = "scripted"
    ) -> None:
        """Take the replies in order, or a function that makes one from the conversation."""
        self.name = name
        self.asked: list[list[Message]] = []
        self._replies = replies if callable(replies) else iter(list(replies))

    def answer(self, messages: Sequence[Message | Mapping[str, Any]]) -> str:
        """Return the next reply as text."""
        reply = self._next(messages)
        return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)

    def stream(self, messages: Sequence[Message | Mapping[str, Any]]) -> Iterator[str]:
        """Yield the next reply word by word."""
        yield from re.findall(r"\s*\S+|\s+$", self.answer(messages))

    def structured(self, messages: Sequence[Message | Mapping[str, Any]], type_: type[Shape]) -> Shape:
        """Return the next reply (JSON text, a dict or the value itself) as a dataclass of this type."""
        reply = self._next(messages)
        try:
            return shaped(type_, json.loads(reply) if isinstance(reply, str) else reply)
        except (ValueError, InvalidInput) as error:
            raise ModelError(f"{self.name} did not answer with a {type_.__name__}: {error}") from None

    def _next(self, messages: Sequence[Message | Mapping[str, Any]]) -> Reply:
        conversation = checked(messages)
        self.asked.append(conversation)
        if callable(self._replies):
            reply = self._replies(conversation)
        else:
            try:
                reply = next(self._replies)
            except StopIteration:
                raise ModelError(f"{self.name} has no reply left for question {len(self.asked)}; script one") from None
        if isinstance(reply, Exception):
            raise reply
        return reply
