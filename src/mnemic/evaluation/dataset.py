"""A dataset: conversations to remember, and questions whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

Unit = Literal["turn", "message", "session", "belief"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Hold one thing that was said: its id, its text with the speaker in front, its session and its time."""

    id: str
    text: str
    session: str | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Hold a question, how many turns came before it, and the ids of the units that answer it.

    An empty `gold` means that nothing remembered answers it.
    """

    text: str
    gold: frozenset[str]
    seen: int
    asked_at: datetime | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """Hold the turns of one person's conversations in order of time, and the questions about them."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]
    unit_of: Mapping[str, str] = field(default_factory=dict)
    """The unit a turn belongs to; a turn that is not named is its own."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Hold conversations whose answers are counted in one unit."""

    name: str
    unit: Unit
    chats: Sequence[Chat]

    def half(self, place: Literal[0, 1]) -> Dataset:
        """Return every second question: 0 is for development, 1 for the report."""
        chats = [
            Chat(chat.name, chat.turns, [q for at, q in enumerate(chat.questions) if at % 2 == place], chat.unit_of)
            for chat in self.chats
        ]
        return Dataset(self.name, self.unit, chats)
