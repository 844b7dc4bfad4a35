"""Helpers for tests of searches: requests, letters, the searches a peer received."""

from array import array
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from imap.scenes import ROW_ITEMS, make_account, session_on
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.search import run
from mailmcp.imap.search.order import Order, Position
from mailmcp.imap.search.page import CandidateList, MailboxPage, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.session import Session
from mailmcp.model.query import SearchQuery
from mcp_envelope import ToolError
from servers.peer import Peer
from servers.peer_mailbox import PeerMessage

PLAIN = ("IMAP4rev1", "LITERAL+")
"""Without ESEARCH."""

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def request(
    mailbox: str = "INBOX",
    *,
    order: Order = Order.NEWEST,
    size: int = 10,
    after: Position | None = None,
    known: CandidateList | None = None,
    uidvalidity: int | None = None,
    **criteria: Any,
) -> PageRequest:
    """Ask for a page."""
    return PageRequest(
        mailbox=mailbox,
        query=SearchQuery(**criteria),
        size=size,
        items=lambda _session: (*ROW_ITEMS, "RFC822.SIZE"),
        order=order,
        after=after,
        known=known,
        uidvalidity=uidvalidity,
    )


def candidate_list(*uids: int, exists: int = 0, uidnext: int | None = 1) -> CandidateList:
    """Make the candidates of an earlier page."""
    return CandidateList(uids=array("I", uids), exists=exists or len(uids), uidnext=uidnext, verified=False)


def search_mailboxes(session: Session, requests: Sequence[PageRequest]) -> list[MailboxPage | ToolError]:
    """Search as the tools do."""
    return run.search_mailboxes(SearchServer(session), requests)


def search_one(session: Session, one: PageRequest) -> MailboxPage:
    """Make a page that must succeed."""
    [found] = search_mailboxes(session, [one])
    assert isinstance(found, MailboxPage), found
    check(one, found)
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


def check(one: PageRequest, found: MailboxPage) -> None:
    """Check what every page promises."""
    assert len(found.uids) <= one.size
    assert set(found.uids) == set(found.fetched.messages) | set(found.fetched.failures)
    assert not set(found.fetched.messages) & set(found.fetched.failures)
    assert set(found.uids) <= set(found.candidates.uids)
    assert set(found.ranks) <= set(found.uids)
    assert found.left >= 0
    assert found.candidates_checked >= len(found.uids)
    assert found.last is None or found.candidates_checked or found.left
    assert found.last is not None or not found.uids


def all_pages(session: Session, first: PageRequest, *, remembering: bool) -> list[int]:
    """Follow pages to the end."""
    given: list[int] = []
    following = first
    while True:
        page = search_one(session, following)
        given += page.uids
        if not page.left:
            return given
        following = PageRequest(
            mailbox=first.mailbox,
            query=first.query,
            size=first.size,
            items=first.items,
            order=first.order,
            after=page.last,
            known=page.candidates if remembering else None,
            uidvalidity=page.uidvalidity,
        )


def searches(server: Peer) -> list[str]:
    """List the searches a peer received."""
    lines = [each.line.removeprefix("UID SEARCH ") for each in server.commands if each.name == "UID SEARCH"]
    return [line.removeprefix("RETURN (COUNT ALL) ") for line in lines]


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
