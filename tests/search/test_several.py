"""Known messages spread over mailboxes and accounts: each comes once, by time of arrival or of writing."""

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

import pytest

from search.dated_mail import make_dated
from search.known_mail import Known, append_known, make_known
from search.query import Matches, both, everywhere, flagged, in_field
from search.rules import DovecotRules
from search.walking import walk
from servers.dovecot import Dovecot
from thinning import thin
from tools.desk import Desk
from tools.stores import dovecot_store

MAIL = {
    "known": make_known(400),
    "dated": make_dated(150, Random(5)),  # noqa: S311 - nothing secret
}
Place = tuple[str, str]


class Spread(NamedTuple):
    """Where the messages are."""

    desk: Desk
    known: dict[Place, list[Known]]


@pytest.fixture(scope="module")
def known(dovecot: Dovecot) -> Iterator[Spread]:
    yield from spread("known", dovecot)


@pytest.fixture(scope="module")
def dated(dovecot: Dovecot) -> Iterator[Spread]:
    yield from spread("dated", dovecot)


def spread(mail: str, dovecot: Dovecot) -> Iterator[Spread]:
    """Two accounts with four mailboxes each, Trash among them; some messages have a copy in another one."""
    stores = {name: dovecot_store(dovecot, dovecot.user(f"{mail}-{name}")) for name in ("home", "work")}
    places = [(account, name) for account in stores for name in ("INBOX", "Archive", "Grün/Blau", "Trash")]
    known: dict[Place, list[Known]] = {place: [] for place in places}
    for message in MAIL[mail]:
        for further in (0, 1) if message.number % 30 == 1 else (0,):
            known[places[(message.number + further) % len(places)]].append(message)
    for (account, name), some in known.items():
        with stores[account].client() as client:
            append_known(client, name, some)
    with Desk([store.named(name) for name, store in stores.items()]) as desk:
        yield Spread(desk, known)


SINCE, BEFORE = datetime(2024, 3, 10, tzinfo=UTC), datetime(2040, 6, 1, tzinfo=UTC)
WRITTEN = {"dates": "written"}


def everything(_message: Known, _rules: object) -> bool:
    return True


QUERIES: dict[str, tuple[tuple[dict[str, object], Matches], ...]] = {
    "known": (
        ({}, everything),
        ({"subject": "newsletter"}, in_field("subject", "newsletter")),
        ({"query": "example", "flagged": True}, both(everywhere("example"), flagged("\\Flagged"))),
        ({"has_attachment": True}, lambda message, _rules: message.written.files),
        ({"from_": "O'Neil"}, in_field("from_", "O'Neil")),
        ({"larger_than": 400, "smaller_than": 500}, lambda message, _rules: 400 < message.size < 500),
    ),
    "dated": (
        ({**WRITTEN}, everything),
        (
            {**WRITTEN, "since": SINCE.isoformat(), "before": BEFORE.isoformat()},
            lambda message, _rules: SINCE <= message.dated_or_received < BEFORE,
        ),
    ),
}
CASES = [(mail, *query) for mail, queries in QUERIES.items() for query in queries]
SCOPES: dict[str, dict[str, object]] = {
    "mailboxes": {"account_id": "home", "mailboxes": ["INBOX", "Trash", "Grün/Blau"]},
    "account": {"account_id": "work", "mailbox": "*"},
    "all": {"account_id": "*", "mailbox": "*"},
}


@pytest.mark.parametrize("limit", thin([7, 100], keep_every=2))
@pytest.mark.parametrize("sort", thin(["newest", "oldest", "largest"], keep_every=2))
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(("mail", "arguments", "matches"), CASES, ids=[str(each[:2]) for each in CASES])
def test_each_message_once_in_order(
    request: pytest.FixtureRequest,
    mail: str,
    arguments: dict[str, object],
    matches: Matches,
    scope: str,
    sort: str,
    limit: int,
) -> None:
    spread: Spread = request.getfixturevalue(mail)
    pages = list(walk(spread.desk, {"sort": sort, "limit": limit, **arguments, **SCOPES[scope]}))
    rows = [row for page in pages for row in page.data["messages"]]
    messages = [each for place in spread.known if covers(scope, place) for each in spread.known[place]]
    expected = [each for each in messages if matches(each, DovecotRules())]
    shown = [row["message_id"] for row in rows] + [place for row in rows for place in row.get("places", ())]
    assert len(shown) == len(set(shown)) == len(expected), "each place of each message once"
    assert len(rows) == len({each.number for each in expected}), "copies are one message"
    known = {(each.message_id.strip("<>"), each.size): each for each in expected}
    found = [known[row["header_message_id"], row["size_bytes"]] for row in rows]
    ranks = [each.size if sort == "largest" else each.time(arguments).timestamp() for each in found]
    assert ranks == sorted(ranks, reverse=sort != "oldest")
    for page in pages:
        assert page.data["status"] == "ok"
        assert page.data["coverage"]["complete"]
        assert len(page.data["messages"]) <= limit


def covers(scope: str, place: Place) -> bool:
    """Whether a scope has a mailbox: Trash only if it is named."""
    account, name = place
    if scope == "mailboxes":
        return account == "home" and name != "Archive"
    return name != "Trash" and (scope == "all" or account == "work")
