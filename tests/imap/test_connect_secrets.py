"""The password is in no repr, message or log, whatever happens and however much is logged."""

import logging
import traceback

import pytest

from imap.conftest import PoolFactory
from imap.scenes import make_account, newest, read_round, session_on
from mcp_envelope import ToolError
from servers.dovecot import Login
from servers.peer import PeerFactory
from servers.peer_actions import Action, Bye, Close, Respond, Rule
from servers.peer_mailbox import make_messages

SECRETS = ("hunter2-geheim", "hunter2-gehäm")
ENCODED = ("AGZha2UtdXNlcgBodW50", "hunter2")
"""AUTHENTICATE's base64 of it begins so; LOGIN's octets hold the other."""


def hidden(text: str) -> bool:
    return not any(encoded in text for encoded in ENCODED)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything, of all loggers there are."""
    caplog.set_level(logging.DEBUG)
    for name in ("imapclient", "imapclient.imapclient", "imapclient.imaplib", "asyncio", "anyio", "mailmcp"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


@pytest.mark.parametrize("password", SECRETS)
@pytest.mark.parametrize("capabilities", ["IMAP4rev1", "IMAP4rev1 AUTH=PLAIN", "IMAP4rev1 LITERAL+"])
def test_what_works_tells_nothing(
    peer: PeerFactory,
    run_pool: PoolFactory,
    logged: pytest.LogCaptureFixture,
    password: str,
    capabilities: str,
) -> None:
    server = peer(messages=make_messages(1), capabilities=capabilities.split())
    server.settings.password = password
    account = make_account(server, Login("fake-user", password))
    pool = run_pool(account)
    assert pool.run(read_round) == [1]
    with session_on(account) as session:
        things: list[object] = [account, session, session.connection, session.quirks, pool.pool]
        things.append(session.connection._imap._cmd_log)  # noqa: SLF001 - imaplib's history
        assert all(hidden(repr(thing) + str(thing)) for thing in things)
    assert hidden(logged.text)
    assert "Using selector" in logged.text, "logging is on"


@pytest.mark.parametrize("password", SECRETS)
@pytest.mark.parametrize(
    "action",
    [
        Respond(b'{tag} NO [AUTHENTICATIONFAILED] Not "hunter2-geheim" nor AGZha2UtdXNlcgBodW50\r\n'),
        Respond(b"{tag} NO [UNAVAILABLE] LOGIN fake-user hunter2-geheim\r\n"),
        Respond(b"{tag} BAD LOGIN fake-user hunter2-geheim\r\n"),
        Respond(b"hunter2-geheim\r\n"),
        Bye("LOGIN fake-user hunter2-geheim"),
        Close("before"),
    ],
)
def test_what_fails_tells_nothing_even_if_the_server_repeats_it(
    peer: PeerFactory, run_pool: PoolFactory, logged: pytest.LogCaptureFixture, password: str, action: Action
) -> None:
    server = peer(rules=[Rule(command=name, action=action) for name in ("LOGIN", "AUTHENTICATE")])
    pool = run_pool(make_account(server, Login("fake-user", password)))
    for _ in range(2):
        with pytest.raises(ToolError) as caught:
            pool.run(newest)
        error = caught.value
        assert hidden(f"{error!r} {error} {error.message} {error.details}")
        logging.getLogger("mailmcp").error("failed", exc_info=error)
        assert hidden("".join(traceback.format_exception(error)))
    assert hidden(logged.text)
