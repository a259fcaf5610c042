"""The agent doors: conversations, long-term memory for agents, tools, and the memory manager."""
