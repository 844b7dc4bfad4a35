"""Searches by Date header: exact for all dates of mail, on each page, in one mailbox and in many."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest

from mailmcp.tools.preferences import DEFAULTS
from search.dated_mail import make_dated
from search.filled import Filled
from search.known_mail import EDGES, Known, append_known
from search.query import Matches, Query, both, in_field
from search.rules import DovecotRules, PymapRules
from search.walking import check_pages, check_rows, expected_uids, page_sizes, walk
from servers.dovecot import Dovecot
from servers.embedded import Pymap
from thinning import thin
from tools.desk import Desk
from tools.stores import Store, dovecot_store, pymap_store

MESSAGES = 120
QUERIES = 24
SINCE, BEFORE = datetime(2024, 3, 10, tzinfo=UTC), datetime(2040, 6, 1, tzinfo=UTC)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata", "America/Havana")


def fill(store: Store, messages: list[Known]) -> dict[int, Known]:
    with store.client() as client:
        return dict(zip(append_known(client, "INBOX", messages), messages, strict=True))


@pytest.fixture(scope="module")
def dovecot_mail(dovecot: Dovecot) -> Iterator[Filled]:
    store = dovecot_store(dovecot, dovecot.user("dated"))
    known = fill(store, make_dated(MESSAGES, Random(1)))  # noqa: S311 - nothing secret
    with Desk([store.named("home")]) as desk:
        yield Filled(desk=desk, known=known, rules=DovecotRules())


@pytest.fixture(scope="module")
def pymap_mail() -> Iterator[Filled]:
    with Pymap() as server:
        store = pymap_store(server)
        known = fill(store, make_dated(MESSAGES, Random(2)))  # noqa: S311 - nothing secret
        with Desk([store.named("home")]) as desk:
            yield Filled(desk=desk, known=known, rules=PymapRules(), sorts=False)


def queries(seed: int) -> list[Query]:
    """Put spans of time, orders and other criteria together, the same ones each time."""
    random = Random(seed)  # noqa: S311 - nothing secret
    return [_query(random, number) for number in range(QUERIES)]


def _query(random: Random, number: int) -> Query:
    zone = ZoneInfo(random.choice(ZONES))
    arguments: dict[str, object] = {
        "dates": "written",
        "sort": random.choice(["newest", "oldest", "largest"]),
    }
    conditions: list[Matches] = []
    first = date.fromisoformat(random.choice(EDGES)[:10])
    last = first + timedelta(days=random.choice([0, 0, 1, 300]))
    match number % 4:
        case 0:
            arguments |= {"start_date": first.isoformat(), "end_date": last.isoformat()}
            conditions.append(_on_days(first, last, zone))
        case 1:
            since = datetime(first.year, first.month, first.day, random.randrange(24), tzinfo=zone)
            arguments["since" if random.random() < 0.5 else "before"] = since.isoformat()
            is_since = "since" in arguments
            conditions.append(lambda message, _rules: (message.dated_or_received >= since) == is_since)
        case 2:
            arguments["last_days"] = 365
            conditions.append(_on_days(date(2025, 7, 1), date.max, zone))
        case _:
            pass
    if random.random() < 0.4:
        arguments["subject"] = "report"
        conditions.append(in_field("subject", "report"))
    if random.random() < 0.3:
        arguments["unread_only"] = True
        conditions.append(lambda message, _rules: "\\Seen" not in message.flags)
    return Query(arguments, both(*conditions), zone=zone)


def _on_days(first: date, last: date, zone: ZoneInfo) -> Matches:
    return lambda message, _rules: first <= message.dated_or_received.astimezone(zone).date() <= last


@pytest.mark.parametrize("server", ["dovecot_mail", "pymap_mail"])
@pytest.mark.parametrize("query", thin(queries(7), keep_every=4), ids=lambda query: query.name)
def test_each_query_finds_what_was_written_then(
    request: pytest.FixtureRequest, server: str, query: Query
) -> None:
    filled: Filled = request.getfixturevalue(server)
    check(filled, query)


def check(filled: Filled, query: Query) -> list[int]:
    desk = filled.desk
    if not filled.sorts and query.arguments["sort"] == "largest":
        query = replace(query, arguments={**query.arguments, "sort": "newest"})
    desk.forget()
    desk.today = query.today
    desk.preferences = replace(DEFAULTS, zone=query.zone)
    expected = expected_uids(query, filled.known, filled.rules)
    limit = query.limit or page_sizes(len(expected))
    pages = list(walk(desk, {"limit": limit, **query.arguments}))
    check_pages(pages, expected, limit=limit)
    check_rows(pages[0].data["messages"], filled.known)
    return expected


def test_the_queries_find_something(dovecot_mail: Filled) -> None:
    found = [expected_uids(query, dovecot_mail.known, dovecot_mail.rules) for query in queries(7)]
    assert sum(map(bool, found)) > QUERIES * 2 // 3


@pytest.mark.parametrize("sort", ["newest", "oldest"])
def test_a_server_sorts_what_is_too_much_to_sort_here(
    dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    monkeypatch.setattr("mailmcp.imap.search.candidates.TIMED_CANDIDATES_MAX", 10)
    store = dovecot_store(dovecot, dovecot.user(f"dated-plain-{sort}"))
    known = fill(store, make_dated(60, Random(3), plain=True))  # noqa: S311 - nothing secret
    with Desk([store.named("home")]) as desk:
        filled = Filled(desk=desk, known=known, rules=DovecotRules())
        query = Query({"dates": "written", "sort": sort}, lambda _message, _rules: True, limit=7)
        assert len(check(filled, query)) == 60
        assert "out of order" not in desk.search(**query.arguments).text


def test_dates_that_a_server_misreads_cost_no_message(
    dovecot_mail: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some come where the server puts them, and the page says so."""
    monkeypatch.setattr("mailmcp.imap.search.candidates.TIMED_CANDIDATES_MAX", 10)
    desk = dovecot_mail.desk
    desk.preferences = DEFAULTS
    desk.forget()
    pages = list(walk(desk, {"dates": "written", "limit": 30}))
    assert sorted(uid for page in pages for uid in page.uids) == sorted(dovecot_mail.known)
    for page in pages:
        written = [dovecot_mail.known[uid].dated_or_received for uid in page.uids]
        assert ("out of order" in page.text) == (written != sorted(written, reverse=True))
    assert any("out of order" in page.text for page in pages)


Place = tuple[str, str]


class Spread(NamedTuple):
    desk: Desk
    known: dict[Place, list[Known]]


@pytest.fixture(scope="module")
def spread(dovecot: Dovecot) -> Iterator[Spread]:
    """Two accounts with three mailboxes each; some messages lie in two of them."""
    stores = {name: dovecot_store(dovecot, dovecot.user(f"dated-{name}")) for name in ("home", "work")}
    places = [(account, name) for account in stores for name in ("INBOX", "Archive", "Import")]
    known: dict[Place, list[Known]] = {place: [] for place in places}
    for message in make_dated(150, Random(5)):  # noqa: S311 - nothing secret
        known[places[message.number % 6]].append(message)
        if message.number % 25 == 0:
            known[places[(message.number + 1) % 6]].append(message)
    for (account, name), some in known.items():
        with stores[account].client() as client:
            append_known(client, name, some)
    with Desk([store.named(name) for name, store in stores.items()]) as desk:
        yield Spread(desk, known)


@pytest.mark.parametrize("limit", thin([7, 40], keep_every=2))
@pytest.mark.parametrize("sort", ["newest", "oldest"])
@pytest.mark.parametrize(
    "arguments", [{}, {"since": SINCE.isoformat(), "before": BEFORE.isoformat()}], ids=str
)
@pytest.mark.parametrize("account_id", thin(["*", "home"], keep_every=2))
def test_mailboxes_and_accounts_are_one_list(
    spread: Spread, account_id: str, arguments: dict[str, object], sort: str, limit: int
) -> None:
    where = {"account_id": account_id, "mailbox": "*", "dates": "written", "sort": sort, "limit": limit}
    pages = list(walk(spread.desk, arguments | where))
    rows = [row for page in pages for row in page.data["messages"]]
    expected = [
        each
        for (account, _), some in spread.known.items()
        if account_id in {account, "*"}
        for each in some
        if not arguments or SINCE <= each.dated_or_received < BEFORE
    ]
    shown = [row["message_id"] for row in rows] + [place for row in rows for place in row.get("places", ())]
    assert len(shown) == len(set(shown)) == len(expected), "each place of each message once"
    assert len(rows) == len({each.number for each in expected}), "copies are one message"
    by_id = {each.message_id.strip("<>"): each.dated_or_received for each in expected}
    written = [by_id[row["header_message_id"]] for row in rows]
    assert written == sorted(written, reverse=sort == "newest")
    assert all(page.data["coverage"]["complete"] for page in pages)
