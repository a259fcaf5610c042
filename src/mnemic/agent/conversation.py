"""ConversationMemory: the messages of the current conversation."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, NoReturn

from mnemic.agent.bases import MemoryBase
from mnemic.errors import InvalidInput, NoSuchIndex, WrongType
from mnemic.model import checks
from mnemic.model.message import Message

VERSION = 1
_STATE = frozenset({"version", "messages"})


class ConversationMemory(MemoryBase):
    """Messages in RAM, in order; every method returns copies."""

    def __init__(self) -> None:
        self._messages: list[dict[str, Any]] = []

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return all messages."""
        return copy.deepcopy(self._messages)

    async def add(
        self,
        messages: Mapping[str, Any] | Message | list[Mapping[str, Any] | Message] | None,
        allow_duplicates: bool = False,  # noqa: FBT001, FBT002 - a positional argument in the interface it follows
    ) -> None:
        """Add a message or a list of them, all or none; None adds nothing.

        A message without an id gets one. A message whose id was added before is left out unless duplicates are allowed.
        """
        if messages is None:
            return
        if isinstance(messages, (Mapping, Message)):
            messages = [messages]
        if not isinstance(messages, list):
            raise WrongType("messages", f"must be a message, a list of messages or None, not {checks.shown(messages)}")
        checks.flag("allow_duplicates", allow_duplicates)
        arriving = [_checked(f"messages[{index}]", message) for index, message in enumerate(messages)]
        known = set() if allow_duplicates else {message.get("id") for message in self._messages}
        for message in arriving:
            if message["id"] not in known:
                self._messages.append(message)
            if not allow_duplicates:
                known.add(message["id"])

    async def get_messages(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the messages, or only the last ones."""
        start = 0 if limit is None else max(0, len(self._messages) - _count("limit", limit))
        return copy.deepcopy(self._messages[start:])

    async def get_messages_by_role(self, role: str) -> list[dict[str, Any]]:
        """Return the messages of a role."""
        return copy.deepcopy([message for message in self._messages if message.get("role") == role])

    async def get_last_message(self) -> dict[str, Any] | None:
        """Return the last message, if there is one."""
        return copy.deepcopy(self._messages[-1]) if self._messages else None

    async def size(self) -> int:
        """Count the messages."""
        return len(self._messages)

    async def clear(self) -> None:
        """Remove every message."""
        self._messages = []

    async def truncate_to_size(self, max_messages: int) -> None:
        """Keep only the last messages."""
        self._messages = self._messages[max(0, len(self._messages) - _count("max_messages", max_messages)) :]

    async def delete(self, index: int | Iterable[int]) -> None:
        """Remove the message at an index, or those at several, all or none; indices start at 0."""
        indices = set(index) if isinstance(index, Iterable) else {index}
        for position in indices:
            if isinstance(position, bool) or not isinstance(position, int):
                raise WrongType("index", f"must be a whole number or several, not {checks.shown(position)}")
        missing = sorted(position for position in indices if not 0 <= position < len(self._messages))
        if missing:
            raise NoSuchIndex(f"index: no message at {missing}; there are {len(self._messages)}, counted from 0")
        self._messages = [message for position, message in enumerate(self._messages) if position not in indices]

    async def retrieve(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise NotImplementedError: a conversation is read, not searched."""
        raise NotImplementedError("a conversation is not searched; read it with get_messages")

    def state_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able values."""
        return {"version": VERSION, "messages": self.messages}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> None:  # noqa: FBT001, FBT002
        """Replace all messages with those that `state_dict` returned.

        With `strict`, unknown keys, missing messages and wrong messages are refused; otherwise they are ignored.
        """
        if not isinstance(state_dict, Mapping):
            raise WrongType("state_dict", f"must be a dict, not {checks.shown(state_dict)}")
        version = state_dict.get("version", VERSION)
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise InvalidInput("version", f"must be {VERSION}, not {checks.shown(version)}")
        if version > VERSION:
            raise InvalidInput("version", f"is {version}, written by a newer Mnemic; this one reads {VERSION}")
        messages = state_dict.get("messages", [])
        if strict:
            checks.fields("a state dict", state_dict, _STATE)
            if "messages" not in state_dict:
                raise InvalidInput("messages", "is missing from the state dict; strict=False loads it as empty")
            if not isinstance(messages, list):
                raise WrongType("messages", f"must be a list, not {checks.shown(messages)}")
        self._messages = [
            loaded
            for index, message in enumerate(messages if isinstance(messages, list) else [])
            if (loaded := _loaded(f"messages[{index}]", message, strict=strict)) is not None
        ]


def _loaded(field: str, message: object, *, strict: bool) -> dict[str, Any] | None:
    try:
        return _checked(field, message)
    except InvalidInput:
        if strict:
            raise
        return None


def _checked(field: str, value: object) -> dict[str, Any]:
    if isinstance(value, Message):
        name = {} if value.name is None else {"name": value.name}
        value = {"role": value.role, "content": value.content, **name}
    if not isinstance(value, Mapping):
        raise WrongType(field, f"must be a dict or a Message, not {checks.shown(value)}")
    message = copy.deepcopy(dict(value))
    if "role" not in message:
        raise InvalidInput(f"{field}.role", "is missing; a message has at least a role and a content")
    checks.name(f"{field}.role", message["role"])
    content = message.get("content")
    if isinstance(content, str):
        checks.storable(f"{field}.content", content)
    elif not isinstance(content, (list, dict, NoneType)):
        raise WrongType(f"{field}.content", f"must be text, a list of parts or None, not {checks.shown(content)}")
    if message.get("id") is None:
        message["id"] = f"msg_{uuid.uuid4().hex[:12]}"
    checks.name(f"{field}.id", message["id"])
    return message


def _count(field: str, value: object) -> int:
    return checks.integer(field, value, minimum=0, maximum=2**53)
