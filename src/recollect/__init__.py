"""Memory for AI agents and characters: kept, found again, and true over time."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.agent.agent import Agent
    from recollect.agent.bases import MemoryBase, PersistentMemoryBase
    from recollect.agent.config import MemoryConfig
    from recollect.agent.context import ConversationContext
    from recollect.agent.conversation import ConversationMemory
    from recollect.agent.entry import MemoryEntry, MemoryTypes
    from recollect.agent.manager import MemoryManager
    from recollect.agent.persistent import PersistentMemory
    from recollect.agent.tools import MemoryTools
    from recollect.aio import AsyncMind
    from recollect.errors import RecollectError
    from recollect.experience import MemoryEngine
    from recollect.llms.scripted import ScriptedLlm
    from recollect.mind import Mind
    from recollect.model.hit import Hit
    from recollect.model.memory import Draft, Memory
    from recollect.model.message import Message

# numpy's idle threads are to sleep at once: by default they spin, which costs 0.1 s of CPU when it is imported.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "10")

_HOMES = {
    "Agent": "recollect.agent.agent",
    "AsyncMind": "recollect.aio",
    "ConversationContext": "recollect.agent.context",
    "ConversationMemory": "recollect.agent.conversation",
    "Draft": "recollect.model.memory",
    "Hit": "recollect.model.hit",
    "Memory": "recollect.model.memory",
    "MemoryBase": "recollect.agent.bases",
    "MemoryConfig": "recollect.agent.config",
    "MemoryEngine": "recollect.experience",
    "MemoryEntry": "recollect.agent.entry",
    "MemoryManager": "recollect.agent.manager",
    "MemoryTools": "recollect.agent.tools",
    "MemoryTypes": "recollect.agent.entry",
    "Message": "recollect.model.message",
    "Mind": "recollect.mind",
    "PersistentMemory": "recollect.agent.persistent",
    "PersistentMemoryBase": "recollect.agent.bases",
    "RecollectError": "recollect.errors",
    "ScriptedLlm": "recollect.llms.scripted",
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
    "PersistentMemory",
    "PersistentMemoryBase",
    "RecollectError",
    "ScriptedLlm",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that `import recollect` stays light."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
