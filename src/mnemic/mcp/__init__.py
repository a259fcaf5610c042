"""The MCP server: one memory for any agent."""
