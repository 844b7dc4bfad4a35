"""mailmcp: an MCP server that reads mail over IMAP."""

__version__ = "0.1.0"

REPLY_VERSION = "mailmcp/1"
"""Of the replies' shape: changes only when a program that knows the old one would misread the new one."""
