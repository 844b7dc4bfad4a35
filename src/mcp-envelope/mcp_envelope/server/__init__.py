"""Registration and calls on the MCP Python SDK, which must be installed as well."""

from mcp_envelope.server.toolset import Call, Toolset
from mcp_envelope.tool import Report

__all__ = ["Call", "Report", "Toolset"]
