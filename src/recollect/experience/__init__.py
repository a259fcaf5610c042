"""Experience memory: what worked, what failed and what was learned, in a tree of files that a person can read."""

from recollect.experience.engine import MemoryEngine
from recollect.experience.experience import Experience, Recalled

__all__ = ["Experience", "MemoryEngine", "Recalled"]
