"""MemoryEntry and MemoryTypes: a manager's memories and their four types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class MemoryTypes:
    """The types of memories, which are the tiers of a mind."""

    SHORT_TERM = "short_term"
    """The latest messages of a conversation."""

    WORKING = "working"
    """What the current task needs."""

    LONG_TERM = "long_term"
    """What is known across conversations."""

    EPISODIC = "episodic"
    """Summaries of earlier conversations."""


@dataclass(slots=True)
class MemoryEntry:
    """A memory as a manager returns it, with an importance from 1 to 10; the id is "" if it is not stored."""

    content: str
    embedding: list[float]
    metadata: dict[str, Any]
    timestamp: datetime
    source: str
    importance_score: float
    id: str = ""
    memory_type: str = MemoryTypes.LONG_TERM
    score: float | None = None
