"""Find the messages of a conversation, by ids alone, in one account or in all; and read their texts.

The search starts from one message and follows references until it finds nothing new. It also uses the
server's thread ids if there are any. Those alone are not enough: servers split conversations whose subject
changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from mailmcp.mail.calendar.invitation import (
    InvitationVersion,
    find_replaced,
    invitation_part,
    read_invitation,
)
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Structure
from mailmcp.mail.mime.transfer import complete_lines
from mailmcp.mail.read import ReadText, read_text, text_to_fetch
from mailmcp.mail.thread import (
    THREAD_HEADER_FIELDS,
    ThreadHeaders,
    parse_thread_headers,
    select_thread,
    unasked_ids,
)
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import Folded, copy_keys
from mailmcp.tools.errors import fetch_error, message_issue
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.related import RelatedMail
from mailmcp.tools.tool import Call
from mcp_envelope import Issue

_TEXT_OCTETS: Final = 65_536
"""Fetched of each text: nearly all are shorter, quoted history included."""

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


@dataclass(slots=True, kw_only=True)
class Texts:
    """The texts of messages; each message has a text or an issue."""

    by_ref: dict[MessageRef, ReadText] = field(default_factory=dict)
    replaced: dict[MessageRef, MessageRef] = field(default_factory=dict)
    """Invitations of which a newer version is among the messages, each with the newest."""

    defects: list[tuple[str, ...]] = field(default_factory=list)
    """Of the structures of messages that may have parts which weren't read."""

    issues: list[Issue] = field(default_factory=list)


async def read_texts(call: Call, members: Sequence[Member]) -> Texts:
    """Fetch and read the texts of messages; one round trip for twenty mailboxes of an account."""
    structures = {each.ref: each.structure for each in members}
    fetched = await fetch_parts(call, list(structures), lambda _session, ref: _items(structures[ref]))
    texts = Texts(issues=[message_issue(ref, failure) for ref, failure in fetched.failures.items()])

    def read_all() -> None:
        versions: dict[MessageRef, InvitationVersion] = {}
        for each in members:
            if (row := fetched.messages.get(each.ref)) is None:
                continue
            texts.by_ref[each.ref], defects = _read(each, row)
            texts.defects += [defects] if defects else []
            if (part := invitation_part(each.structure.root)) is not None:
                octets = row.sections.get(part.part_id, b"")
                if (version := read_invitation(octets, part, call.preferences.zone)) is not None:
                    versions[each.ref] = version
        texts.replaced = find_replaced(versions)

    await anyio.to_thread.run_sync(read_all)
    return texts


def _items(structure: Structure) -> tuple[str, ...]:
    if structure.root is None or not structure.is_readable:
        return ("UID", f"BODY.PEEK[]<0.{_TEXT_OCTETS}>")
    invitation = invitation_part(structure.root)
    parts = (*text_to_fetch(structure.root), *([invitation] if invitation else []))
    return ("UID", *(f"BODY.PEEK[{part.part_id}]<0.{_TEXT_OCTETS}>" for part in parts))


def _read(member: Member, row: FetchedMessage) -> tuple[ReadText, tuple[str, ...]]:
    """Read the text of a message; also return the defects of its structure."""
    root, defects = member.structure.root, member.structure.defects
    if root is None or not member.structure.is_readable:
        octets = row.sections.get("", b"")
        view = parse_message(octets, complete=len(octets) < _TEXT_OCTETS)
        root, defects, contents = view.structure, view.tree.structure.defects, view.contents()
        cut = set() if view.complete else {part.part_id for part in choose_text_parts(root).all}
    else:
        parts = text_to_fetch(root)
        contents = {part.part_id: row.sections.get(part.part_id.upper(), b"") for part in parts}
        cut = {part.part_id for part in parts if part.size_octets > _TEXT_OCTETS}
    contents |= {part_id: complete_lines(contents[part_id]) for part_id in cut & contents.keys()}
    return read_text(member.headers, root, contents, cut=frozenset(cut)), defects
