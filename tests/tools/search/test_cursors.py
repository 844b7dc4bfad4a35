"""Cursors as arguments: miscopied, contradicted, of others, and forged."""

import zlib
from collections.abc import Iterator

import pytest

from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError, NotFoundError
from servers.embedded import Pymap
from tools.desk import Desk
from tools.letters import make_numbered
from tools.stores import Store, pymap_store


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Store, Desk]]:
    """A store of three messages, and a desk for it as two accounts, `work` and `home`."""
    with Pymap() as server:
        store = pymap_store(server)
        store.fill("INBOX", make_numbered(1, 2, 3))
        with Desk([store.account, store.named("home")]) as desk:
            yield store, desk


@pytest.fixture
def searching(shared: tuple[Store, Desk]) -> Desk:
    """The shared desk, as if it were new."""
    shared[1].forget()
    return shared[1]


@pytest.fixture
def cursor(searching: Desk) -> str:
    """The second page of a search of `work` in which everything is asked for."""
    reply = searching.search(
        account_id="work",
        limit=1,
        query="text",
        from_="ann",
        to="bob",
        subject="message",
        unread_only=True,
        since="2000-01-01",
        before="3000-01-01",
        snippet_max_chars=60,
    )
    return str(reply.data["next_cursor"])


def forge(cursor: str, old: str, new: str) -> str:
    """Change a cursor and give it the checksum that fits."""
    body = cursor.rpartition(".")[0]
    assert old in body
    body = body.replace(old, new, 1)
    return f"{body}.{zlib.crc32(body.encode()):08x}"


def problems(error: InvalidInputError) -> list[tuple[str, str]]:
    return sorted((each.field, each.reason.value) for each in error.problems)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("account_id", "home"),
        ("mailbox", "Archive"),
        ("before", "2999-12-30"),
        ("snippet_max_chars", 61),
    ],
)
def test_a_contradiction_names_its_argument(searching: Desk, cursor: str, name: str, value: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        searching.search(cursor=cursor, **{name: value})
    assert problems(caught.value) == [(name, "cursor_mismatch")]


@pytest.mark.parametrize("text", ["x", "next", "s3.3.work:INBOX:1:u2.00000000", "null", "."])
def test_text_that_is_not_a_cursor_is_malformed(searching: Desk, text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        searching.search(cursor=text)
    assert problems(caught.value) == [("cursor", "cursor_malformed")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".since=2000-01-01", ".since=2000-02-30"),
        ("query=text", "query=a%0D%0AA1+DELETE+INBOX"),
        ("query=text", "query=a%00b"),
        ("query=text", "query=" + "a" * 2000),
        (":INBOX:", ":IN%0D%0ABOX:"),
    ],
)
def test_an_impossible_forged_cursor_is_malformed(searching: Desk, cursor: str, old: str, new: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        searching.search(cursor=forge(cursor, old, new))
    assert problems(caught.value) == [("cursor", "cursor_malformed")]


def test_a_forged_cursor_of_a_possible_search_is_served(searching: Desk, cursor: str) -> None:
    """A checksum grants no right: whoever may send a cursor may send the search."""
    assert searching.search(cursor=forge(cursor, ".work:", ".home:")).data["account_id"] == "home"


def test_a_cursor_of_an_account_that_is_gone(searching: Desk, cursor: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        searching.search(cursor=forge(cursor, ".work:", ".gone:"))
    assert caught.value.reason is Reason.ACCOUNT_UNKNOWN


@pytest.mark.parametrize("text", ["語" * 400, "a\tb", "a.b=c&d%e+f g", '"quoted phrase"', "~-_*'()"])
def test_any_text_survives_the_way_through_a_cursor(
    shared: tuple[Store, Desk], searching: Desk, text: str
) -> None:
    mailbox = f"Text {zlib.crc32(text.encode())}"
    shared[0].fill(mailbox, [f"Subject: a\r\n\r\n{text.strip(chr(34))}\r\n".encode()] * 2)
    first = searching.search(account_id="work", mailbox=mailbox, query=text, limit=1)
    searching.forget()
    second = searching.search(cursor=first.data["next_cursor"], query=text)
    assert (first.data["total"], second.places) == (2, [1])
