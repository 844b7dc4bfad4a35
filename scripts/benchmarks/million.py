"""A mailbox of a million messages: what a page costs, and what it leaves in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from imaplib import IMAP4

from scripts.benchmarks.calls import SEARCH, Case, measure_call
from scripts.benchmarks.host import hosted
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row

from servers.dovecot import MDBOX, Dovecot, Login

MESSAGES = 1_000_000
RSS_GROWTH_MAX_MB = 25

_SENDER = "grace.hopper@example.com"
_RARE_EVERY = 14_000
"""71 messages in a million."""

_UNREAD_EVERY = 10
_READ_OCTETS_MAX = 600
"""One search by size finds the messages to flag."""

_LINE = b"These are the words of a short message, about as long as notices are.\n"
_FILL_TIMEOUT_S = 120.0
_SECTION = f"{MESSAGES:,} messages"
_MB = 1e6

_CASES = (
    Case(name="newest ten, first call of all", tool=SEARCH),
    Case(name="newest ten", tool=SEARCH, trips=2, octets=20_000),
    Case(name="unread", tool=SEARCH, arguments={"unread_only": True}, trips=2, octets=20_000),
    Case(name="by sender", tool=SEARCH, arguments={"from": _SENDER}),
    Case(name="by subject", tool=SEARCH, arguments={"subject": "zeppelin"}),
    Case(name="by sender in all mailboxes", tool=SEARCH, arguments={"from": _SENDER, "mailbox": "*"}),
    Case(name="oldest ten", tool=SEARCH, arguments={"sort": "oldest"}),
)


async def measure_million() -> list[Row]:
    """Ask all questions of one process, in order."""
    with (
        _running_server() as (server, login),
        ProxyProcess(server.host, server.plain_port, rtt_ms=0) as proxy,
    ):
        async with hosted(proxy.host, proxy.port, login) as host:
            await host.data("imap_list_accounts", {})
            at_start_mb = host.process.memory_info().rss / _MB
            rows = [await measure_call(_SECTION, host, proxy, case, rounds=1) for case in _CASES]
            growth_mb = host.process.memory_info().rss / _MB - at_start_mb
    name = "growth of the process"
    return [*rows, Row(section=_SECTION, name=name, value=growth_mb, unit="MB", limit=RSS_GROWTH_MAX_MB)]


@contextmanager
def _running_server() -> Iterator[tuple[Dovecot, Login]]:
    """Start a server and fill its INBOX; nine in ten messages are read."""
    with Dovecot(extra=MDBOX) as server:
        server.fill_mdbox_before_login("mia", _messages())
        login = server.user("mia")
        with IMAP4(server.host, server.plain_port, timeout=_FILL_TIMEOUT_S) as client:
            client.login(*login)
            client.select()
            client.uid("SEARCH", "RETURN", "(SAVE)", f"SMALLER {_READ_OCTETS_MAX}")  # RFC 5182
            client.uid("STORE", "$", "+FLAGS.SILENT", r"(\Seen)")
        yield server, login


def _messages() -> Iterator[bytes]:
    for number in range(1, MESSAGES + 1):
        is_rare = number % _RARE_EVERY == 0
        sender = f"Grace Hopper <{_SENDER}>" if is_rare else f"p{number % 97}@example.com"
        yield (
            b"From: %b\nTo: Mia <mia@example.com>\nSubject: Notice %d%b\nMessage-ID: <%d@example.com>\n"
            b"Date: Fri, 1 Jan 2016 12:00:00 +0000\n\n%b"
            % (
                sender.encode(),
                number,
                b" zeppelin" * is_rare,
                number,
                _LINE * (7 if number % _UNREAD_EVERY == 0 else 5),
            )
        )
