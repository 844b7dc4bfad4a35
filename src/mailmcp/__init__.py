"""mailmcp: an MCP server that reads mail over IMAP."""
