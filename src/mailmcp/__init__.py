"""mailmcp: an MCP server that reads mail over IMAP."""

__version__ = "0.1.0"
