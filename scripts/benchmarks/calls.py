"""The calls that are measured: their time, their round trips to the mail server, and their tokens."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from imapclient import IMAPClient
from scripts.benchmarks.host import CALL_TIMEOUT_S, Host, data_of, hosted, text_of
from scripts.benchmarks.made_mail import RARE_WORD, SENDER, SpecialUids, make_messages, make_notes
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row
from scripts.benchmarks.vocabulary import count_tokens

from servers.dovecot import Dovecot, Login
from tools.talks import make_talk

SEARCH = "imap_search_messages"
GET = "imap_get_message"
MAILBOXES = ("INBOX", "Sent", "Drafts", "Archive", *(f"Projects/{number}" for number in range(1, 7)))
"""Of the second user: all that Dovecot has here, but for Junk and Trash. `*` means the same ten."""

_MESSAGES_IN_EACH = 500
_TALK_LENGTH = 30
_PARAGRAPH = "The offer stands as it is, and the delivery is in the week after that. " * 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call."""

    name: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    trips: int | None = None
    """The most round trips that a warm call may take, by design."""

    octets: int | None = None
    """The most that may come from the mail server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A running mail server: one user with a large INBOX, one with ten mailboxes and a conversation."""

    server: Dovecot
    ann: Login
    bea: Login
    uidvalidity: int
    special: SpecialUids


@contextmanager
def running_site(messages: int) -> Iterator[Site]:
    """Start a server, fill its mailboxes, and let it build its indexes."""
    talk = make_talk(_TALK_LENGTH, text=_PARAGRAPH)
    parts = {"Archive": talk[:10], "INBOX": talk[10::2], "Sent": talk[11::2]}
    with Dovecot() as server:
        server.fill_before_login("ann", "INBOX", make_messages(messages), flags=[b"\\Seen"])
        for seed, name in enumerate(MAILBOXES, start=1):
            content = [*make_notes(_MESSAGES_IN_EACH, seed=seed), *parts.get(name, [])]
            server.fill_before_login("bea", name, content, flags=[b"\\Seen"])
        ann, bea = server.user("ann"), server.user("bea")
        with IMAPClient(server.host, server.plain_port, ssl=False, timeout=CALL_TIMEOUT_S) as client:
            client.login(*ann)
            uidvalidity = client.select_folder("INBOX", readonly=True)[b"UIDVALIDITY"]
            client.search(["TEXT", RARE_WORD])
        yield Site(
            server=server, ann=ann, bea=bea, uidvalidity=uidvalidity, special=SpecialUids.among(messages)
        )


async def measure_calls(site: Site, *, rtt_ms: int, rounds: int) -> list[Row]:
    """Measure warm calls of both users at a distance from the mail server."""
    rows: list[Row] = []
    for login, make_cases in ((site.ann, _cases_of_ann), (site.bea, _cases_of_bea)):
        with ProxyProcess(site.server.host, site.server.plain_port, rtt_ms=rtt_ms) as proxy:
            async with hosted(proxy.host, proxy.port, login) as host:
                for case in await make_cases(site, host):
                    section = f"warm call, {rtt_ms} ms away"
                    rows.append(await measure_call(section, host, proxy, case, rounds=rounds))
    return rows


async def measure_call(section: str, host: Host, proxy: ProxyProcess, case: Case, *, rounds: int) -> Row:
    """Make a call so many times, once more before that does not count if there are several."""
    times, trips, octets, text = [], [], [], ""
    for _ in range(rounds + (rounds > 1)):
        before = proxy.traffic()
        result, ms = await host.call(case.tool, case.arguments)
        after = proxy.traffic()
        data_of(case.tool, result)
        text = text_of(result)
        times.append(ms)
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


async def _cases_of_ann(site: Site, host: Host) -> Sequence[Case]:
    cursor = (await host.data(SEARCH, {}))["next_cursor"]

    def message(name: str, uid: int) -> Case:
        message_id = f"imap:default:INBOX:{site.uidvalidity}:{uid}"
        return Case(name=name, tool=GET, arguments={"message_id": message_id}, trips=1)

    return (
        Case(name="list mailboxes", tool="imap_list_mailboxes", trips=1),
        Case(name="newest ten", tool=SEARCH, trips=2),
        Case(name="next page", tool=SEARCH, arguments={"cursor": cursor}, trips=1),
        Case(name="by sender", tool=SEARCH, arguments={"from": SENDER}, trips=2),
        Case(name="word in the text", tool=SEARCH, arguments={"query": RARE_WORD}, trips=2),
        Case(name="nothing found", tool=SEARCH, arguments={"subject": "nowhere"}),
        Case(name="counted by sender", tool=SEARCH, arguments={"group_by": "sender"}),
        message("message of 8 KB", site.special.typical),
        message("message of 100 KB", site.special.large_text),
        message("message with a file of 10 MB", site.special.attachments[1]),
    )


async def _cases_of_bea(_site: Site, host: Host) -> Sequence[Case]:
    found = await host.data(SEARCH, {"limit": 1})
    newest = found["messages"][0]["message_id"]
    return (
        Case(name="newest ten of ten mailboxes", tool=SEARCH, arguments={"mailbox": "*"}),
        Case(name="by sender in ten mailboxes", tool=SEARCH, arguments={"mailbox": "*", "from": SENDER}),
        Case(
            name=f"conversation of {_TALK_LENGTH} in three mailboxes",
            tool="imap_get_thread",
            arguments={"message_id": newest},
        ),
    )
