"""Memory for agents: conversations, long-term memory, tools, and the memory manager."""
