"""Helpers for tests of searches: requests, letters, the searches a peer received."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from imap.scenes import ROW_ITEMS, make_account, session_on
from mailmcp.imap.fetch import Fetched
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.cache import UidCache
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.search.values import MailboxPage, PageRequest
from mailmcp.imap.session import Quirks, Session
from mailmcp.model.cursor import Position
from mailmcp.model.query import SearchQuery
from mcp_envelope import ToolError
from servers.peer import Peer
from servers.peer_actions import Action, Rule
from servers.peer_mailbox import PeerMessage

PLAIN = ("IMAP4rev1", "LITERAL+")
"""Without ESEARCH."""

NEWEST = Order()

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def request(
    mailbox: str = "INBOX",
    *,
    order: Order = NEWEST,
    size: int = 10,
    position: Position | None = None,
    cache: UidCache | None = None,
    **criteria: Any,
) -> PageRequest:
    """Ask for a page; `position` is where it begins, if that isn't the beginning."""
    return PageRequest(
        position=position or Position(account_id="work", mailbox=mailbox),
        query=SearchQuery(**criteria),
        size=size,
        items=lambda _session: (*ROW_ITEMS, "RFC822.SIZE"),
        order=order,
        cache=cache or UidCache(),
    )


def page_of(*rows: FetchedMessage, mailbox: str = "INBOX", rank: int = 5, **facts: Any) -> MailboxPage:
    """Make the page that a mailbox returned: all of its matches, with one rank."""
    position = Position(account_id=mailbox.partition("-")[0], mailbox=mailbox, uidvalidity=1)
    places = tuple(replace(position, uid=each.uid, rank=rank) for each in rows)
    known: dict[str, Any] = {
        "position": position,
        "order": NEWEST,
        "exists": len(rows),
        "matches": places,
        "fetched": Fetched(messages={each.uid: each for each in rows}),
        "after": places[-1] if places else position,
        "left": 0,
        "total": len(rows),
        "total_exact": True,
        "checked": len(rows),
    }
    return MailboxPage(**known | facts)


def search_one(session: Session, one: PageRequest) -> MailboxPage:
    """Make a page that must succeed."""
    [found] = search_mailboxes(session, [one])
    assert isinstance(found, MailboxPage), found
    assert len(found.uids) <= one.size
    assert set(found.uids) == set(found.fetched.messages) | set(found.fetched.failures)
    return found


def find(server: Peer, quirks: Quirks | None = None, **options: Any) -> MailboxPage:
    """Make a page on a session of its own."""
    with session_on(make_account(server), quirks) as session:
        return search_one(session, request(**options))


def fail(server: Peer, quirks: Quirks | None = None, **options: Any) -> ToolError:
    """Ask for a page that must fail."""
    with session_on(make_account(server), quirks) as session:
        [found] = search_mailboxes(session, [request(**options)])
        assert isinstance(found, ToolError), found
        assert not session.in_doubt
        session.run("NOOP")
        return found


def searches(server: Peer) -> list[str]:
    """List the searches a peer received."""
    lines = [each.line.removeprefix("UID SEARCH ") for each in server.commands if each.name == "UID SEARCH"]
    return [line.removeprefix("RETURN (COUNT ALL) ") for line in lines]


def when_searching(action: Action, containing: str = "", nth: int | None = None) -> Rule:
    """Do something in place of the answer to a search."""
    return Rule(command="UID SEARCH", containing=containing, action=action, nth=nth)


def letter(uid: int, subject: str = "Weekly report", **options: Any) -> PeerMessage:
    """Make a message, an hour later with each UID; see `known` and `PeerMessage` for options."""
    known: dict[str, Any] = {"sender": "ann@example.org", "attached": False, "size": 0, "cc": ""} | options
    head = (
        f"From: {known.pop('sender')}\r\nTo: Bob <bob@example.org>\r\nSubject: {subject}\r\n"
        f"Message-ID: <{uid}@example.org>\r\nMIME-Version: 1.0\r\n"
    )
    cc = known.pop("cc")
    head += f"Cc: {cc}\r\n" if cc else ""
    head += f"Date: {known.pop('written')}\r\n" if "written" in known else ""
    text = f"Words of {uid}." + "x" * known.pop("size")
    if known.pop("attached"):
        head += "Content-Type: multipart/mixed; boundary=xyz\r\n"
        text = (
            f"--xyz\r\nContent-Type: text/plain\r\n\r\n{text}\r\n--xyz\r\nContent-Type: application/zip\r\n"
            'Content-Disposition: attachment; filename="a.zip"\r\n\r\nAAAA\r\n--xyz--'
        )
    known.setdefault("received", NOON + timedelta(hours=uid))
    return PeerMessage(uid=uid, octets=f"{head}\r\n{text}\r\n".encode(), **known)


def letters(uids: Sequence[int], **options: Any) -> list[PeerMessage]:
    """Make a message for each UID."""
    return [letter(uid, **options) for uid in uids]
