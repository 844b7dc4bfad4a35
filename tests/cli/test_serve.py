"""`mailmcp serve`: it ends when its host does, and writes nothing but the protocol."""

import json
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cli.conftest import Serve
from cli.served import Served
from cli.settings_files import write_settings
from mailmcp.cli.main import cli
from mailmcp.cli.serve import exit_if_threads_are_stuck
from mailmcp.imap.account import Account
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_actions import Bye, Close, FailUid, Respond, Rule, Silence
from servers.peer_mailbox import make_messages
from tools.stores import peer_account

WAIT_S = 30.0

SEARCH = {"name": "imap_search_messages", "arguments": {}}


def serving(serve: Serve, folder: Path, account: Account, *options: str, **environment: str) -> Served:
    config = write_settings(folder, account)
    served = serve("serve", "--config", str(config), *options, environment=environment)
    served.introduce()
    return served


def assert_protocol_alone(served: Served) -> None:
    assert served.lines
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in served.lines)


def test_it_serves_saves_and_ends_with_stdin(serve: Serve, peer: PeerFactory, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    server = peer(messages=make_messages(1))
    served = serving(serve, tmp_path, peer_account(server), MAILMCP_SAVE_FOLDER=str(folder))
    arguments = {"message_id": "imap:work:INBOX:1700000000:1", "part_id": "1", "mode": "save"}
    served.call("imap_get_attachment", **arguments)
    assert [path.read_text() for path in folder.iterdir()] == ["Text of message 1.\n"]
    for line in (
        "",
        "{",
        "[]",
        '"hunter2-secret"',
        '{"jsonrpc":"2.0","id":7}',
        '{"secret":"hunter2-secret"}',
    ):
        served.write(line)
    served.write({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": ["hunter2-secret"]}})
    assert served.call("imap_search_messages")["structuredContent"]["data"]["total"] == 1
    assert served.close() == 0
    assert_protocol_alone(served)
    assert server.commands[-1].name == "LOGOUT", "it says goodbye"
    server.wait_closed(1)
    assert "hunter2-secret" not in served.stderr


def test_it_ends_with_stdin_also_with_many_calls_in_flight(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    """More than may be connected at a time."""
    server = peer(rules=[Rule(command="EXAMINE", action=Silence())])
    served = serving(serve, tmp_path, peer_account(server))
    for _ in range(20):
        served.send("tools/call", SEARCH)
    server.wait_for("EXAMINE", WAIT_S, nth=4)
    assert served.close() == 0
    assert served.stderr.count("outcome=cancelled") == 20


RESOLVER = """
import socket

def getaddrinfo(*_arguments, **_options):
    with socket.socket(socket.AF_UNIX) as resolver:
        resolver.connect({path!r})
        resolver.recv(1)

socket.getaddrinfo = getaddrinfo
"""


def test_it_ends_with_stdin_also_while_a_name_is_looked_up(serve: Serve, tmp_path: Path) -> None:
    """A resolver that never answers blocks its thread, and nothing can interrupt it."""
    path = str(tmp_path / "resolver")
    (tmp_path / "sitecustomize.py").write_text(RESOLVER.format(path=path))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        listener.settimeout(WAIT_S)
        account = plain_account("127.0.0.1", 143, "fake-user", "fake-password")
        served = serving(serve, tmp_path, account, PYTHONPATH=str(tmp_path))
        served.send("tools/call", SEARCH)
        asked, _ = listener.accept()
        with asked:
            assert served.close() == 0
    assert_protocol_alone(served)
    assert "outcome=cancelled" in served.stderr


def test_threads_that_end_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    exits: list[int] = []
    monkeypatch.setattr("os._exit", exits.append)
    monkeypatch.setattr("logging.shutdown", lambda: None)
    release = threading.Event()
    ending = threading.Thread(target=release.wait)
    ending.start()
    release.set()
    exit_if_threads_are_stuck()
    assert (exits, ending.is_alive()) == ([], False)


def test_threads_that_do_not_are_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    exits: list[int] = []
    monkeypatch.setattr("os._exit", exits.append)
    monkeypatch.setattr("logging.shutdown", lambda: None)
    release = threading.Event()
    stuck = threading.Thread(target=release.wait)
    stuck.start()
    exit_if_threads_are_stuck()
    release.set()
    stuck.join()
    assert exits == [0]


MISBEHAVIOURS: list[dict[str, Any]] = [
    {"greeting": Bye()},
    {"greeting": Respond(b"\0\xff garbage\r\n" * 50)},
    {"greeting": Close("before", reset=True)},
    {"rules": [Rule(command="LOGIN", action=Respond(b"{tag} NO [ALERT] fake-password was wrong\r\n"))]},
    {"rules": [Rule(command="EXAMINE", action=Respond(b"* 1 EXISTS\r\n{tag} OK Done\r\n"))]},
    {"rules": [Rule(command="UID SEARCH", action=Respond(b"* SEARCH x y z\r\n{tag} OK Done\r\n"))]},
    {"rules": [Rule(command="UID SEARCH", action=Respond(b"\xff\xfe\r\n\r\n{tag} OK Done\r\n"))]},
    {"rules": [Rule(command="UID FETCH", action=FailUid(1, "garbage"))]},
    {"rules": [Rule(command="UID FETCH", action=Close("within"))]},
    {"rules": [Rule(command="UID FETCH", action=Respond(b"* 1 FETCH (UID 1 BODY[] {99999999999}\r\n"))]},
]


def test_nothing_but_the_protocol_is_written_whatever_servers_do(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    """One account for each misbehaviour."""
    peers = {f"peer{n}": peer(messages=make_messages(1), **each) for n, each in enumerate(MISBEHAVIOURS)}
    accounts = [replace(peer_account(each), account_id=name) for name, each in peers.items()]
    config = write_settings(tmp_path, *accounts)
    served = serve("--config", str(config), "--log-level", "debug")
    served.introduce()
    for name, each in peers.items():
        message_id = f"imap:{name}:INBOX:{each.mailbox.uidvalidity}:1"
        for result in (
            served.call("imap_search_messages", account_id=name),
            served.call("imap_get_message", message_id=message_id),
        ):
            reply = result["structuredContent"]
            assert reply["meta"]["request_id"]
            assert reply.get("error", {}).get("details", {}).get("reason") != "unexpected", name
    assert served.close() == 0
    assert_protocol_alone(served)
    assert "fake-password" not in served.stderr + "".join(served.lines)
    assert "Traceback" not in served.stderr


def test_an_address_that_is_taken_is_said(peer: PeerFactory, tmp_path: Path) -> None:
    config = write_settings(tmp_path, peer_account(peer()))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        arguments = ["serve", "--config", str(config), "--transport", "http", "--port", port]
        result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1
    assert f"mailmcp: can't listen on 127.0.0.1:{port}: the port is in use" in result.stderr
