"""The MCP server: any agent, one memory."""
