"""The only layer that speaks MCP: registration, replies, transports."""
