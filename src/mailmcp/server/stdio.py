"""Serving over stdin and stdout, until the host closes stdin."""

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from mailmcp.server.app import Serving


async def serve_stdio(server: Server[Serving]) -> None:
    """Serve until stdin closes, then end at once: calls in flight are cancelled."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def run_stdio(server: Server[Serving]) -> None:
    """Run `serve_stdio` in an event loop of its own."""
    anyio.run(serve_stdio, server)
