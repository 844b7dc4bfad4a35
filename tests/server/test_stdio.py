"""Serving over pipes, as hosts do: what ends it, and what it writes."""

import json
import subprocess
import sys

from mailmcp.demo.server import EmbeddedServer
from server.mailbox import INBOX

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "imap_search_messages", "arguments": {}},
}


def test_stdout_carries_the_protocol_alone_and_the_end_of_stdin_ends_the_process() -> None:
    with EmbeddedServer(mailboxes=[INBOX]) as server:
        environment = {
            "MAILMCP_HOST": server.host,
            "MAILMCP_PORT": str(server.port),
            "MAILMCP_USER": server.user,
            "MAILMCP_PASSWORD": server.password,
            "MAILMCP_TLS": "none",
            "MAILMCP_LOG_LEVEL": "debug",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "mailmcp", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        lines = []
        for request in (INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, SEARCH):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            if "id" in request:
                lines.append(process.stdout.readline())
        rest, errors = process.communicate(timeout=10)
    assert process.returncode == 0, errors
    assert rest == ""
    assert [json.loads(line)["id"] for line in lines] == [1, 2]
    assert json.loads(lines[1])["result"]["structuredContent"]["data"]["total"] == 3
    assert "outcome=ok" in errors
    assert server.password not in errors
