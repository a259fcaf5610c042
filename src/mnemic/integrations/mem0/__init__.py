"""mem0's API on top of Mnemic: change the import, keep the code.

`Memory` and `AsyncMemory` accept the calls of mem0's current version (`filters=`, `top_k=`) and of its first
(`user_id=`, `limit=`), and return the same JSON.
"""

from mnemic.integrations.mem0.aio import AsyncMemory
from mnemic.integrations.mem0.memory import Memory

__all__ = ["AsyncMemory", "Memory"]
