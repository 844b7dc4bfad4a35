"""Find the messages of a conversation, by ids alone, in one account or in all.

The search starts from one message and follows references until it finds nothing new. It also uses the
server's thread ids if there are any. Those alone are not enough: servers split conversations whose subject
changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from zlib import crc32

import anyio

from mailmcp import limits
from mailmcp.imap.fetch import fetch_messages, id_items
from mailmcp.imap.id_search import IdQuery, is_searchable
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.imap.special_use import is_draft
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Structure
from mailmcp.mail.thread import (
    THREAD_HEADER_FIELDS,
    ThreadHeaders,
    parse_thread_headers,
    select_thread,
    unasked_ids,
)
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import Folded, copy_keys
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.related import RelatedMail
from mailmcp.tools.tool import Call

ROUNDS_MAX: Final = 8
"""Searches for the messages that those found refer to."""

_ITEMS: Final = (
    "UID",
    "FLAGS",
    "INTERNALDATE",
    "RFC822.SIZE",
    "BODYSTRUCTURE",
    f"BODY.PEEK[HEADER.FIELDS ({THREAD_HEADER_FIELDS})]",
)
_NO_IDS: Final = "The message has no Message-ID that can be searched for: others may belong to it."
_NOT_FOLLOWED: Final = "References were not followed to the end of a very long chain."


@dataclass(frozen=True, kw_only=True)
class Member:
    """One message of a conversation."""

    ref: MessageRef
    row: FetchedMessage
    copies: tuple[MessageRef, ...] = ()
    """Other places of the message, in the order of the mailboxes."""

    draft: bool = False
    """Whether it has not been sent: by the flag or the mailbox of one of its places."""

    @cached_property
    def headers(self) -> Headers:
        """The header fields that were fetched."""
        return parse_headers(self.row.sections.get("HEADER.FIELDS", b""))

    @cached_property
    def links(self) -> ThreadHeaders:
        """What places it. The server's thread ids are valid in one account."""
        thread_id = self.row.thread_id and f"{self.ref.account_id} {self.row.thread_id}"
        return parse_thread_headers(self.headers, thread_id=thread_id)

    @cached_property
    def structure(self) -> Structure:
        """Its parts, as far as the server's list of them can be read."""
        return parse_body_structure(self.row.body_structure)

    @property
    def position(self) -> tuple[int, int]:
        """Its place in the conversation, which all its copies share, so that a cursor can hold it.

        Seconds since 1970 when it was written, or else received; then a checksum.
        """
        moment = self.links.date or self.row.internal_date
        same = f"{self.links.own_id} {self.row.size_octets} {self.row.internaldate_epoch}"
        return (int(moment.timestamp()) if moment else 0, crc32(same.encode("utf-8", "replace")))


async def find_conversation(
    call: Call, ref: MessageRef, *, all_accounts: bool
) -> tuple[list[Member], RelatedMail]:
    """Find the conversation of a message; four round trips, and two for each further step of references.

    Returns:
        The messages, oldest first, with copies folded into one. Also where they were searched for, and what
        is missing: what fails on the way.

    Raises:
        NotFoundError: The mailbox or the message is gone.
        ConflictError: The mailbox's UIDVALIDITY is not that of `ref`.
        InternalError, DeadlineError: The server doesn't send the message, or the connection failed.
    """
    now = anyio.current_time()
    deadline = now + (call.deadline - now) * limits.SEARCH_DEADLINE_SHARE
    row = await call.ask(lambda session: _fetch_row(session, ref), message=ref, deadline=deadline)
    others = [each.account_id for each in call.pool.accounts if all_accounts]
    found = RelatedMail(
        call=call,
        account_ids=tuple(dict.fromkeys([ref.account_id, *others])),
        items=_ITEMS,
        deadline=deadline,
        own=ref,
        rows={ref: row},
    )
    await found.list_mailboxes()
    members = await _follow(call, Member(ref=ref, row=row), found)
    return sorted(_fold(members, ref, found), key=lambda each: each.position), found


def _fetch_row(session: Session, ref: MessageRef) -> FetchedMessage:
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    items = (*_ITEMS, *id_items(session, threads=True))
    fetched = fetch_messages(session, [ref.uid], items)
    if failure := fetched.failures.get(ref.uid):
        raise fetch_error(ref, failure)
    return fetched.messages[ref.uid]


async def _follow(call: Call, start: Member, found: RelatedMail) -> list[Member]:
    """Search until nothing new is found; return the messages of the conversation, copies included."""
    candidates = {start.ref: start}
    members, asked = [start], set[str]()
    thread_ids = {start.ref.account_id: start.row.thread_id}
    if not (start.row.thread_id or any(map(is_searchable, start.links.ids))):
        found.statements[_NO_IDS] = None
        return members
    for number in range(ROUNDS_MAX):
        ids = unasked_ids([each.links for each in members], asked)
        if number and not ids:
            return members
        asked.update(ids)
        call.report(number, ROUNDS_MAX, "Searching for messages of the conversation")
        await found.look(
            IdQuery(ids=ids, known={each.links.own_id for each in members} if number else ()),
            thread_ids={} if number else thread_ids,
            probe=start.ref if is_searchable(start.links.own_id) and not number else None,
        )
        candidates |= {
            ref: Member(ref=ref, row=row) for ref, row in found.rows.items() if ref not in candidates
        }
        every = list(candidates.values())
        joined = [every[place] for place in select_thread(start.links, [each.links for each in every])]
        if len(joined) <= len(members):
            return members
        members = joined
    found.statements[_NOT_FOLLOWED] = None
    return members


def _fold(members: Sequence[Member], start: MessageRef, found: RelatedMail) -> list[Member]:
    """Merge the copies of each message into one: the requested one, else that in the first mailbox."""
    uses = {
        (account_id, each.name): each.special_use
        for account_id, listed in found.listings.items()
        for each in listed
    }
    rank = {place: number for number, place in enumerate(uses)}
    folded = Folded[tuple[str, str], Member]()
    for each in sorted(members, key=lambda each: (each.ref != start, rank.get(_place(each.ref), -1))):
        folded.add(_place(each.ref), each, copy_keys(each.ref.account_id, each.row))
    return [
        replace(
            next(iter(places.values())),
            copies=tuple(each.ref for each in places.values())[1:],
            draft=any(is_draft(each.row, uses.get(place, "")) for place, each in places.items()),
        )
        for places in folded.messages
    ]


def _place(ref: MessageRef) -> tuple[str, str]:
    return ref.account_id, ref.mailbox
