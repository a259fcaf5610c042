"""A conversation in the types of pydantic-ai."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.messages import ModelMessage

    from mnemic.model.message import Message

_SYSTEM = ("system", "developer")


def history(conversation: Sequence[Message]) -> list[ModelMessage]:
    """Return a conversation as requests and responses; ask to continue when it does not end with a question."""
    messages: list[ModelMessage] = []
    for message in conversation:
        if message.role == "assistant":
            messages.append(ModelResponse([TextPart(message.content)]))
        else:
            part = (SystemPromptPart if message.role in _SYSTEM else UserPromptPart)(message.content)
            messages.append(ModelRequest([part]))
    if conversation[-1].role in ("assistant", *_SYSTEM):
        messages.append(ModelRequest([UserPromptPart("Continue.")]))
    return messages


def piece(event: object) -> str | None:
    """Return the text of an event of a stream."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return None
