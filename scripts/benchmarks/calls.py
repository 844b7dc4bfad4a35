"""What is measured, as a desktop host sees it: mailmcp over stdio, driven by the SDK's client."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psutil
from imapclient import IMAPClient
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from scripts.benchmarks.mail import RARE_WORD, SENDER, make_messages, make_notices
from scripts.benchmarks.vocabulary import count_tokens

from servers.dovecot import MDBOX, Dovecot
from servers.proxy import CountingProxy

SEARCH = "imap_search_messages"
GET = "imap_get_message"
CHANGES = "imap_get_changes"
USER = "ann"
MAILBOXES = ("INBOX", "Sent", "Drafts", "Archive", *(f"Projects/{number}" for number in range(1, 7)))
"""All that Dovecot has here, but for Junk and Trash. `*` means the same ten."""

START_RATIO_MAX = 1.4
"""Above the SDK's own imports, which nobody who uses it can avoid."""

RSS_MAX_MB = 120
"""A host runs a dozen servers beside a browser; imports alone take half of this."""

_CALL_TIMEOUT_S = 70.0
_STORED_AT_ONCE = 500
"""UIDs in one STORE: Dovecot takes lines of 8 KB."""

_BARE = StdioServerParameters(
    command=sys.executable, args=[os.fspath(Path(__file__).with_name("bare_server.py"))]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; None where a column does not apply."""

    section: str
    name: str
    value: float
    unit: str
    round_trips: int | None = None
    octets: int | None = None
    """Received from the mail server."""

    tokens: int | None = None
    """Of the text of the reply."""

    limit: float | None = None
    """What `value`, or the round trips of a call, may be at most."""

    octets_max: int | None = None

    @property
    def met(self) -> bool:
        """Whether the limits are met; true if there is none."""
        found = self.value if self.round_trips is None else self.round_trips
        return (self.limit is None or found <= self.limit) and (
            self.octets_max is None or (self.octets or 0) <= self.octets_max
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call."""

    name: str
    tool: str = SEARCH
    arguments: Mapping[str, Any] = field(default_factory=dict)
    trips: int | None = None
    """The most round trips that a warm call may take, by design."""

    octets: int | None = None
    """The most that may come from the mail server."""


MILLION = (
    Case(name="newest ten, first call of all"),
    Case(name="newest ten", trips=2, octets=20_000),
    Case(name="unread", arguments={"unread_only": True}, trips=2, octets=20_000),
    Case(name="by sender", arguments={"from": SENDER}),
    Case(name="by subject", arguments={"subject": RARE_WORD}),
    Case(name="by sender in all mailboxes", arguments={"from": SENDER, "mailbox": "*"}),
    Case(name="oldest ten", arguments={"sort": "oldest"}, trips=2, octets=20_000),
)


@contextmanager
def running_site(messages: int) -> Iterator[Dovecot]:
    """Start a server with a user who has a large INBOX, and nine small mailboxes."""
    with Dovecot() as server:
        for number, name in enumerate(MAILBOXES):
            content = make_messages(99 - number if number else messages)
            server.fill_before_login(USER, name, content, flags=[b"\\Seen"])
        with _signed_in(server) as client:
            client.select_folder("INBOX", readonly=True)
            client.search(["TEXT", RARE_WORD])  # builds the indexes
        yield server


@contextmanager
def _signed_in(server: Dovecot) -> Iterator[IMAPClient]:
    with IMAPClient(server.host, server.plain_port, ssl=False, timeout=2 * _CALL_TIMEOUT_S) as client:
        client.login(*server.user(USER))
        yield client


def _hosted(server: Dovecot, *, port: int = 0) -> Client:
    """Start mailmcp for a mail server, or for the proxy before it on a port."""
    login = server.user(USER)
    settings = {"HOST": server.host, "PORT": str(port or server.plain_port), "TLS": "none"}
    settings |= {"USER": login.user, "PASSWORD": login.password, "LOG_LEVEL": "error"}
    command = StdioServerParameters(
        command=os.fspath(Path(sys.executable).with_name("mailmcp")),
        args=["serve"],
        env={f"MAILMCP_{name}": value for name, value in settings.items()},
    )
    return Client(command, read_timeout_seconds=_CALL_TIMEOUT_S)


async def _call(client: Client, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """Call a tool.

    Raises:
        RuntimeError: The reply is an error.
    """
    result = await client.call_tool(tool, dict(arguments))
    if result.is_error:
        raise RuntimeError(f"{tool} failed: {result.content}")
    return result


async def _data(client: Client, arguments: Mapping[str, Any]) -> dict[str, Any]:
    found = (await _call(client, SEARCH, arguments)).structured_content or {}
    data: dict[str, Any] = found["data"]
    return data


async def measure_calls(server: Dovecot, *, rtt_ms: int, rounds: int) -> list[Row]:
    """Measure warm calls at a distance from the mail server."""
    section = f"warm call, {rtt_ms} ms away"
    with CountingProxy(server.host, server.plain_port, rtt_s=rtt_ms / 1000) as proxy:
        async with _hosted(server, port=proxy.port) as client:
            cases = await _cases(client)
            return [await _measure(section, client, proxy, case, rounds=rounds) for case in cases]


async def _measure(section: str, client: Client, proxy: CountingProxy, case: Case, *, rounds: int) -> Row:
    """Make a call so many times, once more before that does not count if there are several."""
    times, trips, octets, text = [], [], [], ""
    for _ in range(rounds + (rounds > 1)):
        before, began = proxy.snapshot(), perf_counter()
        result = await _call(client, case.tool, case.arguments)
        times.append((perf_counter() - began) * 1000)
        after = proxy.snapshot()
        text = "\n".join(each.text for each in result.content if isinstance(each, TextContent))
        trips.append(after.round_trips - before.round_trips)
        octets.append(after.octets_received - before.octets_received)
    counted = slice(int(rounds > 1), None)
    return Row(
        section=section,
        name=case.name,
        value=median(times[counted]),
        unit="ms",
        round_trips=max(trips[counted]),
        octets=max(octets[counted]),
        tokens=count_tokens(text),
        limit=case.trips,
        octets_max=case.octets,
    )


async def _cases(client: Client) -> Sequence[Case]:
    page = await _data(client, {})
    stem, _, newest = page["messages"][0]["message_id"].rpartition(":")

    def message(name: str, uid: int) -> Case:
        return Case(name=name, tool=GET, arguments={"message_id": f"{stem}:{uid}"}, trips=1)

    return (
        Case(name="list mailboxes", tool="imap_list_mailboxes", trips=1),
        Case(name="newest ten", trips=2),
        Case(name="next page", arguments={"cursor": page["next_cursor"]}, trips=1),
        Case(name="by sender", arguments={"from": SENDER}, trips=2),
        Case(name="word in the text", arguments={"query": RARE_WORD}, trips=2),
        Case(name="nothing found", arguments={"subject": "nowhere"}),
        Case(name="counted by sender", arguments={"group_by": "sender"}),
        message("message of 8 KB", int(newest)),
        message("message of 100 KB", int(newest) - 50),
        message("message with a file of 10 MB", int(newest) // 2),
        Case(name="newest ten of ten mailboxes", arguments={"mailbox": "*"}),
        Case(name="by sender in ten mailboxes", arguments={"mailbox": "*", "from": SENDER}),
    )


async def measure_changes(server: Dovecot, *, rounds: int) -> list[Row]:
    """Change some messages between two states, and measure what it costs to learn of it."""
    with CountingProxy(server.host, server.plain_port) as proxy:
        async with _hosted(server, port=proxy.port) as client:
            before = await _state(client, "INBOX")
            with _signed_in(server) as other:
                other.append("INBOX", next(make_messages(1)))
                other.select_folder("INBOX")
                other.add_flags("500:511", ["\\Flagged"], silent=True)
                other.delete_messages("200:209,400", silent=True)
                other.expunge()
            every = await _state(client, "*")
            cases = (
                Case(name="nothing", arguments={"since": await _state(client, "INBOX")}, trips=1),
                Case(name="24 changes", arguments={"since": before}, trips=2, octets=4_000),
                Case(name="nothing in ten mailboxes", arguments={"since": every}, trips=2),
            )
            return [
                await _measure("what has changed", client, proxy, replace(case, tool=CHANGES), rounds=rounds)
                for case in cases
            ]


async def _state(client: Client, mailbox: str) -> str:
    reply = await _call(client, CHANGES, {"mailbox": mailbox})
    return str((reply.structured_content or {})["data"]["new_state"])


async def measure_start(server: Dovecot, *, pairs: int) -> list[Row]:
    """Measure start-up in pairs with the bare server; the first pair fills the caches of files."""
    taken = [
        [await _first_list_ms(each) for each in (Client(_BARE), _hosted(server))] for _ in range(pairs + 1)
    ][1:]
    ratio = median(mine / bare for bare, mine in taken)
    took_ms = median(mine for _, mine in taken)
    return [
        Row(section="process", name="spawn to tools/list", value=took_ms, unit="ms"),
        Row(section="process", name="times a bare server", value=ratio, unit="x", limit=START_RATIO_MAX),
    ]


async def _first_list_ms(starting: Client) -> float:
    began = perf_counter()
    async with starting as client:
        await client.list_tools()
        return (perf_counter() - began) * 1000


async def measure_memory(server: Dovecot) -> list[Row]:
    """Follow cursors to the oldest message: the memory stays small."""
    arguments: dict[str, object] = {"limit": 100}
    before = set(psutil.Process().children())
    async with _hosted(server) as client:
        (process,) = set(psutil.Process().children()) - before
        while arguments:
            page = await _data(client, arguments)
            arguments = {"cursor": page["next_cursor"]} if page.get("next_cursor") else {}
        rss_mb = process.memory_info().rss / 1e6
    name = "memory after paging through all messages"
    return [Row(section="process", name=name, value=rss_mb, unit="MB", limit=RSS_MAX_MB)]


async def measure_million(messages: int = 1_000_000) -> list[Row]:
    """Search a mailbox of a million messages, of which nine in ten are read: what a page costs."""
    section = f"{messages:,} messages"
    with Dovecot(extra=MDBOX) as server:
        server.fill_mdbox_before_login(USER, make_notices(messages))
        with _signed_in(server) as other:
            other.select_folder("INBOX")
            other.add_flags("1:*", ["\\Seen"], silent=True)
            for start in range(1, messages, 10 * _STORED_AT_ONCE):
                unread = range(start, min(start + 10 * _STORED_AT_ONCE, messages), 10)
                other.remove_flags(unread, ["\\Seen"], silent=True)
        with CountingProxy(server.host, server.plain_port) as proxy:
            async with _hosted(server, port=proxy.port) as client:
                return [await _measure(section, client, proxy, case, rounds=1) for case in MILLION]
