"""Searches by Date header: exact for all dates of mail, on each page, in one mailbox and in many."""

from collections.abc import Iterator
from random import Random

import pytest

from mailmcp.tools.preferences import DEFAULTS
from search.dated_mail import make_dated
from search.filled import Filled
from search.known_mail import fill
from search.query import Query
from search.query_combinations import combinations
from search.rules import DovecotRules, PymapRules
from search.walking import ask, walk
from servers.dovecot import Dovecot
from servers.embedded import Pymap
from thinning import thin
from tools.desk import Desk
from tools.stores import dovecot_store, pymap_store

MESSAGES = 120


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


@pytest.mark.parametrize("server", ["dovecot_mail", "pymap_mail"])
@pytest.mark.parametrize(
    "query", thin(combinations(written=True), keep_every=4), ids=lambda query: query.name
)
def test_each_query_finds_what_was_written_then(
    request: pytest.FixtureRequest, server: str, query: Query
) -> None:
    filled: Filled = request.getfixturevalue(server)
    ask(filled, query)


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
        assert len(ask(filled, query)) == 60
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
