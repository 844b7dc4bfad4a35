"""Calls the tools of any MCP server as a stranger would, and reports what its replies are like."""
