"""Searches that no server can answer alone, over 5,000 messages: by the hour, and by attachments.

The server names candidates; mailmcp looks at as many as it needs to fill the page.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from imapclient import IMAPClient
from scripts.benchmarks.cases import PAGE_SIZE, SEARCH, Case
from scripts.benchmarks.host import hosted
from scripts.benchmarks.made_mail import make_notes
from scripts.benchmarks.plan import CALL_TIMEOUT_S, Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.samples import row_of, take_rounds, trips_target
from scripts.benchmarks.site import Site

from imap.scenes import At, make_account, session_on
from mailmcp import limits
from mailmcp.imap.search.page import MailboxPage, PageRequest
from mailmcp.imap.search.plan import make_plan
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.search.search_response import parse_search
from mailmcp.imap.search.server import SearchServer
from mailmcp.model.query import SearchQuery
from mailmcp.tools.rows import row_items
from mailmcp.tools.search.proof import PROOFS
from servers.dovecot import Login
from servers.filling import append

RTT_MS = 40
SECTION = f"filters over 5,000 messages, {RTT_MS} ms away"

_MESSAGES = 5_000
_FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
_BATCHES_A_DAY = 2
_BATCH = 25
"""Messages received in one minute, in the morning and in the evening: fifty a day, as busy people have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filter:
    """A search in one mailbox."""

    name: str
    mailbox: str
    query: SearchQuery
    trips: int
    looks_at: int
    """Most candidates that are worth looking at."""


_FILTERS = (
    _Filter(
        name="one morning, 50 mails a day",
        mailbox="Ordinary",
        query=SearchQuery(
            since=datetime(2024, 2, 20, 6, tzinfo=UTC), before=datetime(2024, 2, 20, 12, tzinfo=UTC)
        ),
        trips=3,
        looks_at=limits.TIMED_CANDIDATES_MAX,
    ),
    _Filter(
        name="one hour, 1,440 mails a day",
        mailbox="Dense",
        query=SearchQuery(
            since=datetime(2024, 1, 3, 10, tzinfo=UTC), before=datetime(2024, 1, 3, 11, tzinfo=UTC)
        ),
        trips=6,
        looks_at=limits.VERIFY_CANDIDATES_MAX,
    ),
    _Filter(
        name="attachments, in 1 of 10",
        mailbox="Dense",
        query=SearchQuery(has_attachment=True),
        trips=4,
        looks_at=PAGE_SIZE + limits.VERIFY_CHUNKS[0],
    ),
    _Filter(
        name="attachments, in 1 of 500",
        mailbox="Rare",
        query=SearchQuery(has_attachment=True),
        trips=6,
        looks_at=limits.VERIFY_EXPENSIVE_CANDIDATES_MAX,
    ),
)


async def measure_filters(site: Site, plan: Plan) -> list[Row]:
    """Search with each filter; how many candidates are looked at is asked of the scan itself."""
    login = site.add_user(
        "dora",
        {
            "Dense": make_notes(_MESSAGES, seed=1, file_every=10),
            "Rare": make_notes(_MESSAGES, seed=2, file_every=500),
        },
    )
    _fill_by_day(site, login)
    cases = [
        Case(name=each.name, tool=SEARCH, arguments=_arguments(each), round_trips=each.trips)
        for each in _FILTERS
    ]
    with ProxyProcess(site.host, site.port, rtt_ms=RTT_MS) as proxy:
        async with hosted(proxy.host, proxy.port, login) as host:
            samples = await take_rounds(host, cases, proxy, rounds=plan.warm_rounds)
    rows = []
    for case, each in zip(cases, _FILTERS, strict=True):
        candidates_checked, candidates = _looked_at(site, login, each)
        taken = samples[case.name]
        seen = Target(text=f"looks at ≤ {each.looks_at:,}", found=candidates_checked, limit=each.looks_at)
        row = replace(row_of(SECTION, case, taken), targets=(trips_target(case, taken), seen))
        rows.append(replace(row, name=f"{each.name}: looks at {candidates_checked:,} of {candidates:,}"))
    return rows


def _fill_by_day(site: Site, login: Login) -> None:
    messages = make_notes(_MESSAGES, seed=3)
    with IMAPClient(site.host, site.port, ssl=False, timeout=CALL_TIMEOUT_S) as client:
        client.login(*login)
        for moment in _moments():
            append(client, "Ordinary", islice(messages, _BATCH), flags=[b"\\Seen"], received=moment)


def _moments() -> Iterator[datetime]:
    for number in range(_MESSAGES // _BATCH):
        yield _FIRST_DAY + timedelta(hours=8 + number * 24 // _BATCHES_A_DAY)


def _arguments(each: _Filter) -> dict[str, Any]:
    arguments: dict[str, Any] = {"mailbox": each.mailbox}
    if each.query.has_attachment:
        arguments["has_attachment"] = True
    for name in ("since", "before"):
        moment = getattr(each.query, name)
        if moment is not None:
            arguments[name] = moment.isoformat()
    return arguments


def _looked_at(site: Site, login: Login, each: _Filter) -> tuple[int, int]:
    """Scan once more, in this process: how many candidates were looked at, and how many the server named."""
    request = PageRequest(
        mailbox=each.mailbox,
        query=each.query,
        proofs=PROOFS,
        size=PAGE_SIZE,
        items=row_items(snippets=False),
    )
    with session_on(make_account(At(site.host, site.port), login)) as session:
        [found] = search_mailboxes(SearchServer(session), [request])
        if not isinstance(found, MailboxPage):
            raise found
        keys = make_plan(each.query, can=session.can).keys
        answer = session.run("SEARCH", *(keys or [b"ALL"]), uid=True)
    candidates = len(parse_search(answer.untagged["SEARCH"]))
    # A total is exact here when all candidates were looked at: their times came along with the page.
    return candidates if found.total_exact else found.candidates_checked, candidates
