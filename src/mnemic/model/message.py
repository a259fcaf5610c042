"""A message: one turn of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.model import checks

MAX_CONTENT = 250_000
"""The maximum number of characters in a message."""


@dataclass(frozen=True, slots=True)
class Message:
    """What someone said: a role (system, user, assistant, tool …), the words, and the speaker's name if known."""

    role: str
    content: str
    name: str | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        checks.name("role", self.role)
        checks.storable("content", self.content)
        if len(self.content) > MAX_CONTENT:
            raise InvalidInput(
                "content", f"has {len(self.content):,} characters; split it, at most {MAX_CONTENT:,} fit in a message"
            )
        if self.name is not None:
            checks.name("name", self.name)

    @classmethod
    def of(cls, value: Message | Mapping[str, Any]) -> Message:
        """Return a message unchanged, or build one from a dict with role, content and perhaps name.

        Content may be text, None (a message that only calls tools) or a list of parts, of which the text is kept.
        """
        if isinstance(value, Message):
            return value
        if not isinstance(value, Mapping):
            raise InvalidInput("message", f"must be a Message or a dict, not {type(value).__name__}")
        for key in ("role", "content"):
            if key not in value:
                raise InvalidInput(key, 'is missing; a message looks like {"role": "user", "content": "hello"}')
        return cls(value["role"], _content(value["content"]), value.get("name"))


def messages(values: Iterable[Message | Mapping[str, Any]]) -> list[Message]:
    """Return a conversation as messages; an error names the message that is wrong."""
    if isinstance(values, (str, bytes, Message, Mapping)) or not isinstance(values, Iterable):
        raise InvalidInput("messages", f"must be a list of messages, not {type(values).__name__}")
    conversation = []
    for index, value in enumerate(values):
        try:
            conversation.append(Message.of(value))
        except InvalidInput as error:
            raise InvalidInput(f"messages[{index}].{error.field}", error.problem) from None
    if not conversation:
        raise InvalidInput("messages", "is empty; give at least one message")
    return conversation


def _content(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return "\n".join(_part(index, part) for index, part in enumerate(value)).strip()
    return checks.storable("content", value)


def _part(index: int, part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text", "")
        return text if isinstance(text, str) else ""
    raise InvalidInput(f"content[{index}]", f"must be a text or a part such as a dict, not {type(part).__name__}")
