"""Conversations to store, and questions whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

Unit = Literal["turn", "message", "session", "belief"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: its id, its text after the name of the speaker, its session and its time."""

    id: str
    text: str
    session: str | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question, the number of turns before it, and the ids of the units that answer it.

    An empty `gold` means that nothing stored answers it.
    """

    text: str
    gold: frozenset[str]
    seen: int
    asked_at: datetime | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """The turns of one person's conversations in order of time, and the questions about them."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[GoldQuestion]
    unit_of: Mapping[str, str] = field(default_factory=dict)
    """The unit of each turn; a turn that is missing here is a unit of its own."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Conversations whose answers are counted in one unit."""

    name: str
    unit: Unit
    chats: Sequence[Chat]

    def half(self, number: Literal[0, 1]) -> Dataset:
        """Return every second question: half 0 is for development, half 1 for the report."""
        chats = [Chat(chat.name, chat.turns, chat.questions[number::2], chat.unit_of) for chat in self.chats]
        return Dataset(self.name, self.unit, chats)
