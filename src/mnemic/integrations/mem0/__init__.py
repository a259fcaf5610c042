"""Mnemic in the shape of mem0: change the import, keep the code.

`Memory` and `AsyncMemory` take the calls of mem0 today (`filters=`, `top_k=`) and of its first version (`user_id=`,
`limit=`), and return the same JSON.
"""

from mnemic.integrations.mem0.aio import AsyncMemory
from mnemic.integrations.mem0.memory import Memory

__all__ = ["AsyncMemory", "Memory"]
