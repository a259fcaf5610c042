"""Memory for AI agents and characters: kept, found again, and true over time."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemic.agent.agent import Agent
    from mnemic.agent.bases import MemoryBase, PersistentMemoryBase
    from mnemic.agent.config import MemoryConfig
    from mnemic.agent.context import ConversationContext
    from mnemic.agent.conversation import ConversationMemory
    from mnemic.agent.entry import MemoryEntry, MemoryTypes
    from mnemic.agent.manager import MemoryManager
    from mnemic.agent.persistent import PersistentMemory
    from mnemic.agent.tools import MemoryTools
    from mnemic.aio import AsyncMind
    from mnemic.errors import MnemicError
    from mnemic.experience import MemoryEngine
    from mnemic.llms.scripted import ScriptedLlm
    from mnemic.mind import Mind
    from mnemic.model.draft import Draft
    from mnemic.model.hit import Hit
    from mnemic.model.memory import Memory
    from mnemic.model.message import Message

# numpy's idle threads are to sleep at once: by default they spin, which costs 0.1 s of CPU when it is imported.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "10")

_HOMES = {
    "Agent": "mnemic.agent.agent",
    "AsyncMind": "mnemic.aio",
    "ConversationContext": "mnemic.agent.context",
    "ConversationMemory": "mnemic.agent.conversation",
    "Draft": "mnemic.model.draft",
    "Hit": "mnemic.model.hit",
    "Memory": "mnemic.model.memory",
    "MemoryBase": "mnemic.agent.bases",
    "MemoryConfig": "mnemic.agent.config",
    "MemoryEngine": "mnemic.experience",
    "MemoryEntry": "mnemic.agent.entry",
    "MemoryManager": "mnemic.agent.manager",
    "MemoryTools": "mnemic.agent.tools",
    "MemoryTypes": "mnemic.agent.entry",
    "Message": "mnemic.model.message",
    "Mind": "mnemic.mind",
    "PersistentMemory": "mnemic.agent.persistent",
    "PersistentMemoryBase": "mnemic.agent.bases",
    "MnemicError": "mnemic.errors",
    "ScriptedLlm": "mnemic.llms.scripted",
}

__all__ = [
    "Agent",
    "AsyncMind",
    "ConversationContext",
    "ConversationMemory",
    "Draft",
    "Hit",
    "Memory",
    "MemoryBase",
    "MemoryConfig",
    "MemoryEngine",
    "MemoryEntry",
    "MemoryManager",
    "MemoryTools",
    "MemoryTypes",
    "Message",
    "Mind",
    "MnemicError",
    "PersistentMemory",
    "PersistentMemoryBase",
    "ScriptedLlm",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that `import mnemic` stays light."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'mnemic' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
