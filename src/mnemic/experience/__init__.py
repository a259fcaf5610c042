"""Experience memory: what worked, what failed and what was learned, in a tree of readable files."""

from mnemic.experience.engine import MemoryEngine
from mnemic.experience.experience import Experience, Recalled

__all__ = ["Experience", "MemoryEngine", "Recalled"]
