"""A message: one turn of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.model import checks

MAX_CONTENT = 250_000
"""The most characters that one message may have."""


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
    def of(cls, given: Message | Mapping[str, Any]) -> Message:
        """Return a message as it is, or read the role, the content and the name of one in the usual shape of a dict.

        Content may be text, None (a message that only calls tools) or a list of parts, of which the text is kept.
        """
        if isinstance(given, Message):
            return given
        if not isinstance(given, Mapping):
            raise InvalidInput("message", f"must be a Message or a dict, not {type(given).__name__}")
        for key in ("role", "content"):
            if key not in given:
                raise InvalidInput(key, 'is missing; a message looks like {"role": "user", "content": "hello"}')
        return cls(given["role"], _content(given["content"]), given.get("name"))


def messages(given: Iterable[Message | Mapping[str, Any]]) -> list[Message]:
    """Return a conversation as messages, naming the one that is wrong."""
    if isinstance(given, (str, bytes, Message, Mapping)) or not isinstance(given, Iterable):
        raise InvalidInput("messages", f"must be a list of messages, not {type(given).__name__}")
    found = []
    for place, message in enumerate(given):
        try:
            found.append(Message.of(message))
        except InvalidInput as error:
            raise InvalidInput(f"messages[{place}].{error.field}", error.problem) from None
    if not found:
        raise InvalidInput("messages", "is empty; give at least one message")
    return found


def _content(given: object) -> str:
    if given is None:
        return ""
    if isinstance(given, (list, tuple)):
        return "\n".join(_part(place, part) for place, part in enumerate(given)).strip()
    return checks.storable("content", given)


def _part(place: int, part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        text = part.get("text", "")
        return text if isinstance(text, str) else ""
    raise InvalidInput(f"content[{place}]", f"must be a text or a part such as a dict, not {type(part).__name__}")
