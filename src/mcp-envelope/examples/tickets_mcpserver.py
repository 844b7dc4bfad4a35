"""The same tickets on the SDK's `MCPServer`. Start it with `python tickets_mcpserver.py`."""

from tickets import tools

from mcp_envelope.mcpserver import EnvelopeServer

server = EnvelopeServer("tickets", tools)

if __name__ == "__main__":
    server.run()
