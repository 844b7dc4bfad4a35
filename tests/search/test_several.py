"""The known messages spread over mailboxes and accounts: each comes once, by time of arrival."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from mailmcp.tools.preferences import DEFAULTS
from search.known_mail import Known, append_known, make_known
from search.query import Matches, both, everywhere, flagged, in_field
from search.rules import DovecotRules
from search.walking import walk
from servers.dovecot import Dovecot
from thinning import thin
from tools.desk import Desk
from tools.stores import dovecot_store

COUNT = 400
COPIED = range(31, COUNT, 60)
"""Numbers of those that lie in another mailbox, too: they are one message, with two places."""

Place = tuple[str, str]


class Spread(NamedTuple):
    """Where the messages are."""

    desk: Desk
    known: dict[Place, list[Known]]


@pytest.fixture(scope="module")
def spread(dovecot: Dovecot) -> Iterator[Spread]:
    """Two accounts with four mailboxes each; Junk and Trash hold some as well."""
    messages = make_known(COUNT)
    stores = {name: dovecot_store(dovecot, dovecot.user(f"spread-{name}")) for name in ("home", "personal")}
    places = [(account, name) for account in stores for name in ("INBOX", "Archive", "Grün/Blau", "Trash")]
    known: dict[Place, list[Known]] = {place: [] for place in places}
    for message in messages:
        known[places[message.number % len(places)]].append(message)
        if message.number in COPIED:
            known[places[(message.number + 1) % len(places)]].append(message)
    for (account, name), some in known.items():
        with stores[account].client() as client:
            append_known(client, name, some)
    with Desk([store.named(name) for name, store in stores.items()]) as desk:
        desk.preferences = DEFAULTS
        yield Spread(desk, known)


def everything(_message: Known, _rules: object) -> bool:
    return True


QUERIES: tuple[tuple[dict[str, object], Matches], ...] = (
    ({}, everything),
    ({"subject": "newsletter"}, in_field("subject", "newsletter")),
    ({"query": "example", "flagged": True}, both(everywhere("example"), flagged("\\Flagged"))),
    ({"has_attachment": True}, lambda message, _rules: message.written.files),
    ({"from_": "O'Neil"}, in_field("from_", "O'Neil")),
    ({"larger_than": 400, "smaller_than": 500}, lambda message, _rules: 400 < message.size < 500),
)


@pytest.mark.parametrize("limit", thin([7, 100], keep_every=2))
@pytest.mark.parametrize("sort", thin(["newest", "oldest", "largest"], keep_every=2))
@pytest.mark.parametrize("scope", ["mailboxes", "account", "all"])
@pytest.mark.parametrize(("arguments", "matches"), QUERIES, ids=[str(each[0]) for each in QUERIES])
def test_each_message_once_in_order(
    spread: Spread, arguments: dict[str, object], matches: Matches, scope: str, sort: str, limit: int
) -> None:
    where, places = meant(spread, scope)
    pages = list(walk(spread.desk, {"sort": sort, "limit": limit, **arguments, **where}))
    rows = [row for page in pages for row in page.data["messages"]]
    expected = [each for place in places for each in spread.known[place] if matches(each, DovecotRules())]
    shown = [row["message_id"] for row in rows] + [place for row in rows for place in row.get("places", ())]
    assert len(shown) == len(set(shown)) == len(expected), "each place of each message once"
    assert len(rows) == len({each.number for each in expected}), "copies are one message"
    known = {(each.message_id.strip("<>"), each.size): each for each in expected}
    ranks = [rank(known[row["header_message_id"], row["size_bytes"]], sort) for row in rows]
    assert ranks == sorted(ranks, reverse=sort != "oldest")
    for page in pages:
        assert page.data["status"] == "ok"
        assert page.data["coverage"]["complete"]
        assert len(page.data["messages"]) <= limit


def meant(spread: Spread, scope: str) -> tuple[dict[str, object], list[Place]]:
    """Return the arguments of a scope, and the places that it covers."""
    match scope:
        case "mailboxes":
            names = ["INBOX", "Trash", "Grün/Blau"]
            return {"account_id": "home", "mailboxes": names}, [("home", name) for name in names]
        case "account":
            where: dict[str, object] = {"account_id": "personal", "mailbox": "*"}
            return where, [place for place in spread.known if place[0] == "personal" and place[1] != "Trash"]
        case _:
            return {"account_id": "*", "mailbox": "*"}, [
                place for place in spread.known if place[1] != "Trash"
            ]


def rank(message: Known, sort: str) -> int:
    return message.size if sort == "largest" else round(message.received.timestamp())
