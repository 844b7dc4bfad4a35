"""Serving over pipes, as hosts do: what ends it, what it writes, and what nonsense does."""

from pathlib import Path

from cli.served import Served
from mailmcp.demo.server import EmbeddedServer
from server.mailbox import INBOX

LONE = "\\ud83d"
"""Half of a surrogate pair, escaped: JavaScript writes it where a text was cut within an emoji."""

UNREADABLE = [
    f'{{"jsonrpc": "2.0", "id": 70, "method": "ping", "params": {{"x": "{LONE}"}}}}',
    '{"jsonrpc": "2.0", "id": 72, "method": "ping", "params": []}',
    "[" * 100_000,
    "[75]",
    "",
]


def variables(host: str = "127.0.0.1", port: int = 1, password: str = "fake-password") -> dict[str, str]:
    return {
        "MAILMCP_HOST": host,
        "MAILMCP_PORT": str(port),
        "MAILMCP_USER": "fake-user",
        "MAILMCP_PASSWORD": password,
        "MAILMCP_TLS": "none",
        "MAILMCP_LOG_LEVEL": "debug",
    }


def test_stdout_carries_the_protocol_alone_and_the_end_of_stdin_ends_the_process(tmp_path: Path) -> None:
    with EmbeddedServer(mailboxes=[INBOX]) as server:
        own = variables(server.host, server.port, server.password) | {"MAILMCP_USER": server.user}
        with Served(["serve"], environment=own, folder=tmp_path) as served:
            served.introduce()
            assert served.call("imap_search_messages")["structuredContent"]["data"]["total"] == 3
            answers = len(served.lines)
            assert served.close() == 0
    assert len(served.lines) == answers == 2
    assert "outcome=ok" in served.stderr
    assert server.password not in served.stderr


def test_nonsense_stops_nothing(tmp_path: Path) -> None:
    with Served(["serve"], environment=variables(), folder=tmp_path) as served:
        served.introduce()
        for line in UNREADABLE:
            served.write(line)
            asked = served.send("ping", {})
            assert served.read() == {"jsonrpc": "2.0", "id": asked, "result": {}}, line
        assert served.close() == 0
