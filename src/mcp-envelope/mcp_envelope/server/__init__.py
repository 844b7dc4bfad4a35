"""The call boundary and registration on the MCP Python SDK, which must be installed beside this package."""

from mcp_envelope.server.calls import Call, Calls, Report
from mcp_envelope.server.toolset import Toolset, unknown_tool

__all__ = ["Call", "Calls", "Report", "Toolset", "unknown_tool"]
