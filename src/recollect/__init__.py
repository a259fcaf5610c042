"""Memory for AI agents and characters: kept, found again, and true over time."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.mind import Mind

_HOME = {"Mind": "recollect.mind"}

__all__ = ["Mind"]


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that `import recollect` stays light."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")
