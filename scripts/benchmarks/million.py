"""A mailbox of a million messages: what a page costs, and what it leaves in memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from imaplib import IMAP4
from pathlib import Path
from typing import Any

from psutil import Process
from scripts.benchmarks.cases import SEARCH, Case
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.samples import Sample, octets_target, row_of, trips_target

from servers.dovecot import MDBOX, Dovecot, Login

MESSAGES = 1_000_000
RSS_GROWTH_MAX_MB = 25.0

_USER = "mia"
_RARE_SENDER = "grace.hopper@example.com"
_RARE_EVERY = 14_000
"""71 messages in a million."""

_UNREAD_EVERY = 10
_GONE_EVERY = 21
"""UIDs have gaps, as in every mailbox that is used."""

_LINES, _LINES_UNREAD, _LINES_GONE = 5, 7, 9
_READ_OCTETS_MAX, _KEPT_OCTETS_MAX = 600, 740
"""One search by size finds the messages to flag."""

_LINE = b"These are the words of a short message, about as long as notices are.\n"

_FILL_TIMEOUT_S = 120.0
_PAGES_MAX = 100
_MB = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One call, and what its page may cost; None for no target."""

    name: str
    arguments: Mapping[str, Any]
    trips: int | None = None
    octets: int | None = None
    all_pages: bool = False
    """Whether to follow the cursors to the end, and add up what all pages cost."""


_RARE = {"from": _RARE_SENDER}
QUESTIONS = (
    Question(name="newest 10, first call of all", arguments={}),
    Question(name="newest 10", arguments={}, trips=2, octets=10_000),
    Question(name="unread", arguments={"unread_only": True}, trips=2, octets=20_000),
    Question(name="from, new to the server", arguments=_RARE),
    Question(name="from, once more", arguments=_RARE),
    Question(name="from, all pages", arguments={**_RARE, "limit": 100}, all_pages=True),
    Question(name="subject, new to the server", arguments={"subject": "zeppelin"}),
    Question(name="all mailboxes, from", arguments={**_RARE, "mailbox": "*"}),
    Question(name="all mailboxes, a word", arguments={"query": "zeppelin", "mailbox": "*"}),
    Question(name="oldest 10", arguments={"sort": "oldest"}, trips=2, octets=10_000),
    Question(name="largest 10", arguments={"sort": "largest"}, trips=2, octets=10_000),
)


async def measure_million() -> list[Row]:
    """Ask all questions of one process, in order."""
    section = f"{MESSAGES:,} messages"
    rows: list[Row] = []
    with (
        _running_server() as (server, login),
        ProxyProcess(server.host, server.plain_port, rtt_ms=0) as proxy,
    ):
        async with hosted(proxy.host, proxy.port, login) as host:
            await host.call_well("imap_list_accounts", {})  # asks no mail server, and needs all to be loaded
            at_start_mb = host.process.memory_info().rss / _MB
            for question in QUESTIONS:
                rows += await _ask(section, question, host, proxy)
            growth_mb = _peak_rss_mb(host.process) - at_start_mb
    target = Target(text=f"≤ {RSS_GROWTH_MAX_MB:.0f} MB", found=growth_mb, limit=RSS_GROWTH_MAX_MB)
    growth = Row(
        section=section, name="growth of RSS, at its peak", value=growth_mb, unit="MB", targets=(target,)
    )
    return [*rows, growth]


def _peak_rss_mb(process: Process) -> float:
    """Return the highest resident memory of a process so far; the present one where Linux doesn't tell it."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        return process.memory_info().rss / _MB
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024 / _MB


async def _ask(section: str, question: Question, host: Host, proxy: ProxyProcess) -> list[Row]:
    """Make one call, or those that all its pages take."""
    before, total_ms, found, pages = proxy.traffic(), 0.0, 0, 0
    arguments: Mapping[str, Any] | None = question.arguments
    data: dict[str, Any] = {}
    while arguments is not None and pages < _PAGES_MAX:
        data, ms = await host.call_well(SEARCH, arguments)
        total_ms, found, pages = total_ms + ms, found + data["returned"], pages + 1
        cursor = data.get("next_cursor")
        arguments = {"cursor": cursor} if cursor and question.all_pages else None
    sample = Sample.of(total_ms, before, proxy.traffic())
    case = Case(name=question.name, tool=SEARCH, round_trips=question.trips or 0)
    targets = [
        *([trips_target(case, [sample])] if question.trips else []),
        *([octets_target(question.octets, [sample])] if question.octets else []),
    ]
    at_most = "at most " if data.get("total_at_most") else ""
    name = f"{question.name}: {found} of {at_most}{data['total']:,}"
    if pages > 1:
        name += f" on {pages} pages"
    return [replace(row_of(section, replace(case, name=name), [sample]), targets=tuple(targets))]


@contextmanager
def _running_server() -> Iterator[tuple[Dovecot, Login]]:
    """Start a server and fill its INBOX; nine in ten messages are read."""
    with Dovecot(extra=MDBOX) as server:
        server.fill_mdbox_before_login(_USER, _messages())
        login = server.user(_USER)
        with IMAP4(server.host, server.plain_port, timeout=_FILL_TIMEOUT_S) as client:
            client.login(*login)
            client.select()
            _flag(client, f"SMALLER {_READ_OCTETS_MAX}", r"\Seen")
            _flag(client, f"LARGER {_KEPT_OCTETS_MAX}", r"\Deleted")
            client.expunge()
        yield server, login


def _flag(client: IMAP4, key: str, flag: str) -> None:
    client.uid("SEARCH", "RETURN", "(SAVE)", key)  # RFC 5182
    client.uid("STORE", "$", "+FLAGS.SILENT", f"({flag})")


def _messages() -> Iterator[bytes]:
    count = 0
    for number in range(1, MESSAGES * 2):
        lines = _LINES_GONE if number % _GONE_EVERY == 0 else _LINES
        if lines == _LINES:
            if count == MESSAGES:
                return
            count += 1
            lines = _LINES_UNREAD if count % _UNREAD_EVERY == 0 else _LINES
        is_rare = lines != _LINES_GONE and count % _RARE_EVERY == 0
        sender = (
            b"Grace Hopper <%b>" % _RARE_SENDER.encode() if is_rare else b"p%d@example.com" % (number % 97)
        )
        yield (
            b"From: %b\nTo: Mia <mia@example.com>\nSubject: Notice %d%b\nMessage-ID: <%d@example.com>\n"
            b"Date: Fri, 1 Jan 2016 12:00:00 +0000\n\n%b"
            % (sender, number, b" zeppelin" * is_rare, number, _LINE * lines)
        )
