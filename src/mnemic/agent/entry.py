"""What a memory manager holds: entries, of four types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class MemoryTypes:
    """Name the types of memories: the tiers of a mind."""

    SHORT_TERM = "short_term"
    """What was said lately in a conversation."""

    WORKING = "working"
    """What the task at hand needs."""

    LONG_TERM = "long_term"
    """What is known across conversations."""

    EPISODIC = "episodic"
    """What earlier conversations were about."""


@dataclass(slots=True)
class MemoryEntry:
    """Hold a memory as a manager gives it out; importance goes from 1 to 10. What is not stored has no id."""

    content: str
    embedding: list[float]
    metadata: dict[str, Any]
    timestamp: datetime
    source: str
    importance_score: float
    id: str = ""
    memory_type: str = MemoryTypes.LONG_TERM
    score: float | None = None
