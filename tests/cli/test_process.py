"""A process of `mailmcp serve` ends when its host does, and writes nothing but the protocol to stdout."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.served import Served
from cli.settings_files import write_settings
from mailmcp.imap.pool import SESSION_IDLE_CHECK_S
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence
from servers.peer_mailbox import make_messages
from tools.stores import peer_account

WAIT_S = 30.0

LONE = "\\ud83d"
"""Half of a surrogate pair, escaped: JavaScript writes it where a text was cut within an emoji."""

GARBAGE = (
    *(
        "",
        "{",
        "[]",
        "[" * 100_000,
        '"hunter2-secret"',
        '{"secret":"hunter2-secret"}',
        '{"jsonrpc":"2.0","id":7}',
    ),
    f'{{"jsonrpc": "2.0", "id": 70, "method": "ping", "params": {{"x": "{LONE}"}}}}',
    '{"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": ["hunter2-secret"]}}',
)
SEARCH = {"name": "imap_search_messages", "arguments": {}}
SILENT = [Rule(command="EXAMINE", action=Silence())]


def send_signal(process: int) -> None:
    """Send SIGINT, where possible to a thread that isn't the main one: that interrupts no wait."""
    if sys.platform != "linux":
        os.kill(process, signal.SIGINT)
        return
    tasks = [int(each.name) for each in Path(f"/proc/{process}/task").iterdir()]
    other = next(each for each in tasks if each != process)
    assert ctypes.CDLL(None).tgkill(process, other, signal.SIGINT) == 0


def test_it_serves_and_ends_with_stdin(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=make_messages(1))
    config = write_settings(tmp_path, peer_account(server))
    with Served(tmp_path, MAILMCP_CONFIG=str(config), MAILMCP_LOG_LEVEL="debug") as served:
        for line in GARBAGE:
            served.write(line)
        found = served.request("tools/call", SEARCH)["result"]
        assert found["structuredContent"]["data"]["total"] == 1
        assert served.close() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in served.lines)
    assert server.commands[-1].name == "LOGOUT", "it says goodbye"
    server.wait_closed(1)
    assert "hunter2-secret" not in served.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals and shells like these")
@pytest.mark.parametrize("end", ["stdin closes", "the host dies", "a signal"])
def test_it_ends_quietly_with_calls_in_flight(peer: PeerFactory, tmp_path: Path, end: str) -> None:
    """With more calls than connections. After a signal stdin stays open; its reader can't be interrupted."""
    server = peer(rules=SILENT)
    config = write_settings(tmp_path, peer_account(server))
    with Served(tmp_path, "serve", "--config", str(config)) as served:
        for _ in range(20):
            served.send("tools/call", SEARCH)
        served.request("tools/list", {})  # it has read them all
        server.wait_for("EXAMINE", WAIT_S, nth=4)
        if end == "a signal":
            send_signal(served.process.pid)
        elif end == "the host dies":
            served.send("tools/list", {})
            served.stdout.close()
            served.stdin.close()
        else:
            served.stdin.close()
        try:
            # Less than the pool's interval: its timer would end a wait that the signal didn't.
            assert served.process.wait(SESSION_IDLE_CHECK_S * 2 / 3) == 0
        except subprocess.TimeoutExpired:
            pytest.fail("it does not end")
    assert served.stderr.count("outcome=cancelled") == (0 if end == "a signal" else 20)
    server.wait_closed(4)
    assert "Error" not in served.stderr
