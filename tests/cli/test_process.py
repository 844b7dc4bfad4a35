"""A process of `mailmcp serve` ends when its host does, and writes nothing but the protocol to stdout."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Serve
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

SEARCH = {"name": "imap_search_messages", "arguments": {}}

SILENT = [Rule(command="EXAMINE", action=Silence())]


def wait_for_the_end(served: Served) -> int:
    """Wait without closing stdin."""
    try:
        # Less than the pool's interval: its timer would end a wait that the signal didn't.
        return served.process.wait(SESSION_IDLE_CHECK_S * 2 / 3)
    except subprocess.TimeoutExpired:
        pytest.fail("it does not end")


def send_signal(process: int) -> None:
    """Send SIGINT, where possible to a thread that isn't the main one: that interrupts no wait."""
    if sys.platform != "linux":
        os.kill(process, signal.SIGINT)
        return
    tasks = [int(each.name) for each in Path(f"/proc/{process}/task").iterdir()]
    other = next(each for each in tasks if each != process)
    assert ctypes.CDLL(None).tgkill(process, other, signal.SIGINT) == 0


def test_it_serves_and_ends_with_stdin(serve: Serve, peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=make_messages(1))
    config = write_settings(tmp_path, peer_account(server))
    served = serve(environment={"MAILMCP_CONFIG": str(config), "MAILMCP_LOG_LEVEL": "debug"})
    assert served.introduce()["result"]["serverInfo"]["name"] == "mailmcp"
    for line in (
        "",
        "{",
        "[]",
        "[" * 100_000,
        f'{{"jsonrpc": "2.0", "id": 70, "method": "ping", "params": {{"x": "{LONE}"}}}}',
        '"hunter2-secret"',
        '{"jsonrpc":"2.0","id":7}',
        '{"secret":"hunter2-secret"}',
    ):
        served.write(line)
    served.write({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": ["hunter2-secret"]}})
    assert served.call("imap_search_messages")["structuredContent"]["data"]["total"] == 1
    assert served.close() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in served.lines)
    assert server.commands[-1].name == "LOGOUT", "it says goodbye"
    server.wait_closed(1)
    assert "hunter2-secret" not in served.stderr


def test_it_ends_with_stdin_also_with_many_calls_in_flight(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    """More than may be connected at a time."""
    server = peer(rules=SILENT)
    served = serve("serve", "--config", str(write_settings(tmp_path, peer_account(server))))
    served.introduce()
    for _ in range(20):
        served.send("tools/call", SEARCH)
    server.wait_for("EXAMINE", WAIT_S, nth=4)
    assert served.close() == 0
    assert served.stderr.count("outcome=cancelled") == 20


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals and shells like these")
@pytest.mark.parametrize("by_signal", [False, True])
def test_it_ends_quietly_when_its_host_dies_or_by_a_signal(
    serve: Serve, peer: PeerFactory, tmp_path: Path, *, by_signal: bool
) -> None:
    """After a signal stdin stays open, and the thread that reads it cannot be interrupted."""
    server = peer(rules=SILENT)
    served = serve("serve", "--config", str(write_settings(tmp_path, peer_account(server))))
    served.introduce()
    served.send("tools/call", SEARCH)
    server.wait_for("EXAMINE", WAIT_S)
    if by_signal:
        send_signal(served.process.pid)
    else:
        served.send("tools/list", {})
        served.die()
    assert wait_for_the_end(served) == 0
    server.wait_closed(1)
    assert "outcome=cancelled" in served.stderr
    assert "Error" not in served.stderr
