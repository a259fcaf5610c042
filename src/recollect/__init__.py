"""Memory for AI agents and characters: kept, found again, and true over time."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.aio import AsyncMind
    from recollect.errors import RecollectError
    from recollect.experience import MemoryEngine
    from recollect.mind import Mind
    from recollect.model.hit import Hit
    from recollect.model.memory import Draft, Memory

_HOMES = {
    "AsyncMind": "recollect.aio",
    "Draft": "recollect.model.memory",
    "Hit": "recollect.model.hit",
    "Memory": "recollect.model.memory",
    "MemoryEngine": "recollect.experience",
    "Mind": "recollect.mind",
    "RecollectError": "recollect.errors",
}

__all__ = ["AsyncMind", "Draft", "Hit", "Memory", "MemoryEngine", "Mind", "RecollectError"]


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that `import recollect` stays light."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
