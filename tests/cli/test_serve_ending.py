"""`mailmcp serve` ends in good order by a signal, too, or when nobody reads what it writes."""

import ctypes
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Serve
from cli.served import EXIT_S, Served
from cli.test_serve import SEARCH, WAIT_S, serving
from mailmcp.imap.pool import SESSION_IDLE_CHECK_S
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence
from tools.stores import peer_account

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="there are no signals and shells like these")
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)


def wait_for_the_end(served: Served, timeout_s: float = EXIT_S) -> int:
    """Wait without closing stdin."""
    try:
        return served.process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        pytest.fail("it does not end")


@posix_only
def test_it_ends_quietly_when_its_host_dies_during_a_call(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    server = peer(rules=[Rule(command="EXAMINE", action=Silence())])
    served = serving(serve, tmp_path, peer_account(server))
    served.send("tools/call", SEARCH)
    server.wait_for("EXAMINE", WAIT_S)
    served.send("tools/list", {})
    served.die()
    assert wait_for_the_end(served) == 0
    server.wait_closed(1)
    assert "outcome=cancelled" in served.stderr
    assert "Error" not in served.stderr


@posix_only
@SIGNALS
def test_a_signal_ends_it_too(
    serve: Serve, peer: PeerFactory, tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C is SIGINT; stdin stays open, and the thread that reads it cannot be interrupted."""
    server = peer(rules=[Rule(command="EXAMINE", action=Silence())])
    served = serving(serve, tmp_path, peer_account(server))
    served.send("tools/call", SEARCH)
    server.wait_for("EXAMINE", WAIT_S)
    served.process.send_signal(number)
    assert wait_for_the_end(served) == 0
    server.wait_closed(1)
    assert "outcome=cancelled" in served.stderr
    assert "Traceback" not in served.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no thread of another process can be named")
@SIGNALS
def test_a_signal_that_another_thread_receives_ends_it_too(
    serve: Serve, peer: PeerFactory, tmp_path: Path, number: signal.Signals
) -> None:
    """It interrupts no system call of the main thread, as one that comes just before the call."""
    server = peer(rules=[Rule(command="EXAMINE", action=Silence())])
    served = serving(serve, tmp_path, peer_account(server))
    served.send("tools/call", SEARCH)
    server.wait_for("EXAMINE", WAIT_S)
    main = served.process.pid
    other = next(int(each.name) for each in Path(f"/proc/{main}/task").iterdir() if each.name != str(main))
    assert ctypes.CDLL(None).tgkill(main, other, number) == 0
    assert wait_for_the_end(served, SESSION_IDLE_CHECK_S / 3) == 0, "not when the pool looks at its sessions"


@posix_only
def test_it_ends_when_nobody_reads_its_answers(serve: Serve, peer: PeerFactory, tmp_path: Path) -> None:
    served = serving(serve, tmp_path, peer_account(peer()))
    assert served.process.stdout is not None
    served.process.stdout.close()
    served.send("tools/list", {})
    assert wait_for_the_end(served) == 0
    assert "Traceback" not in served.stderr
