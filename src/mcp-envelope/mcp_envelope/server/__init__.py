"""The call boundary and registration on the MCP Python SDK, which must be installed as well."""

from mcp_envelope.server.calls import Call, Calls
from mcp_envelope.server.toolset import Toolset, unknown_tool
from mcp_envelope.tool import Report

__all__ = ["Call", "Calls", "Report", "Toolset", "unknown_tool"]
