"""A conversation, as pydantic-ai has it."""

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
    """Return a conversation as requests and responses; one that ends without a question is to be continued."""
    found: list[ModelMessage] = []
    for message in conversation:
        if message.role == "assistant":
            found.append(ModelResponse([TextPart(message.content)]))
        else:
            part = (SystemPromptPart if message.role in _SYSTEM else UserPromptPart)(message.content)
            found.append(ModelRequest([part]))
    if conversation[-1].role in ("assistant", *_SYSTEM):
        found.append(ModelRequest([UserPromptPart("Continue.")]))
    return found


def piece(event: object) -> str | None:
    """Return the words that an event of a stream brings."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return None
