"""Serving over pipes, as hosts do: what ends it, what it writes, and what it answers to nonsense."""

from pathlib import Path

from cli.served import Served
from mailmcp.demo.server import EmbeddedServer
from server.mailbox import INBOX

LONE = "\\ud83d"
"""Half of a surrogate pair, escaped: JavaScript writes it where a text was cut within an emoji."""

DEEP = "[" * 300 + "]" * 300

UNREADABLE: dict[str, tuple[object, int] | None] = {
    f'{{"jsonrpc": "2.0", "id": 70, "method": "ping", "params": {{"x": "{LONE}"}}}}': (70, -32700),
    f'{{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {{"x": {DEEP}}}}}': ("a", -32700),
    '{"jsonrpc": "2.0", "id": 71, "method": 5, "params": {}}': (71, -32600),
    '{"jsonrpc": "2.0", "id": 72, "method": "ping", "params": []}': (72, -32600),
    '{"id": 73, "method": "ping"}': (73, -32600),
    # Nothing to answer to.
    f'{{"jsonrpc": "2.0", "id": "{LONE}", "method": "ping"}}': None,
    f'{{"jsonrpc": "2.0", "method": "x", "params": {{"x": "{LONE}"}}}}': None,
    f'{{"jsonrpc": "2.0", "id": 74, "result": "{LONE}"}}': None,
    "[" * 100_000: None,
    "[75]": None,
    "": None,
}


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


def test_a_request_that_cannot_be_read_is_answered_and_stops_nothing(tmp_path: Path) -> None:
    with Served(["serve"], environment=variables(), folder=tmp_path) as served:
        served.introduce()
        for line, answer in UNREADABLE.items():
            served.write(line)
            if answer:
                reply = served.read()
                assert (reply["id"], reply["error"]["code"]) == answer, line
            asked = served.send("ping", {})
            assert served.read() == {"jsonrpc": "2.0", "id": asked, "result": {}}, line
        assert served.close() == 0
    assert LONE not in served.stderr
