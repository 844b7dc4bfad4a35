"""Fetches the octets of one message that a reply needs, and no others; finds it again if it has moved.

The first FETCH brings flags, size, structure and the first octets. A second one brings the wanted parts that
are still missing. Blocking.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from mailmcp import limits
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.id_search import IdQuery, find_by_ids
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.message import MessageView, parse_message
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.mime.transfer import complete_lines
from mailmcp.mail.thread import find_ids
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import COPY_ITEMS, Folded, copy_keys
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.search.sources import in_preferred_order
from mcp_envelope import ToolError

FIRST_FETCH_OCTETS: Final = 131_072
"""Fetched of a message at first: nine in ten messages are smaller and need no second FETCH."""

_FIRST_ITEMS: Final = (
    "FLAGS",
    "INTERNALDATE",
    "RFC822.SIZE",
    f"BODY.PEEK[]<0.{FIRST_FETCH_OCTETS}>",
    "BODYSTRUCTURE",
)
_HEADER_ITEMS: Final = tuple(
    f"BODY.PEEK[HEADER.FIELDS{which} (TO CC)]<0.{limits.HEADERS_OCTETS_MAX}>" for which in (".NOT", "")
)
"""A long header is one of many recipients. They are fetched apart, so they can't crowd out other fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageParts:
    """As much of a message as was requested."""

    fetched: FetchedMessage
    view: MessageView
    octets: dict[str, bytes] = field(default_factory=dict)
    """Content by part id, still transfer-encoded: the wanted parts, and others that came along."""

    cut: frozenset[str] = frozenset()
    """Wanted parts that are longer than what was fetched."""

    defects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantedPart:
    """A leaf whose content is needed."""

    part: Part
    octets_max: int = limits.TEXT_PART_OCTETS_MAX
    """How much of it to fetch, still transfer-encoded."""


def fetch_parts(
    session: Session, ref: MessageRef, choose: Callable[[Part], Iterable[WantedPart]]
) -> MessageParts:
    """Fetch a message and the leaves that `choose` picks: one round trip, or two for a large message.

    Raises:
        NotFoundError: The mailbox or the message is gone.
        ConflictError: The mailbox's UIDVALIDITY is not that of `ref`.
        InternalError: The server failed to send the message.
    """
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    fetched = _fetch(session, ref, _FIRST_ITEMS)
    octets = fetched.sections.get("", b"")
    size = fetched.size_octets if fetched.size_octets is not None else len(octets)
    structure = parse_body_structure(fetched.body_structure)
    complete = size <= len(octets)
    root = None if complete and not structure.is_readable else structure.root
    view = parse_message(octets, complete=complete, structure=root)
    wanted = list(choose(view.structure)) if view.structure is not None else []
    here = ((part.part_id, view.part_octets(part)) for part in leaf_parts(view.structure))
    contents = {part_id: content for part_id, content in here if content is not None}
    missing = [each for each in wanted if each.part.part_id not in contents]
    cut = {each.part.part_id for each in missing if each.part.size_octets > each.octets_max}
    if missing or view.header_goes_on:
        items = [f"BODY.PEEK[{each.part.part_id}]<0.{each.octets_max}>" for each in missing]
        sections = _fetch(session, ref, [*items, *(_HEADER_ITEMS if view.header_goes_on else ())]).sections
        for part_id in (each.part.part_id for each in missing):
            content = sections.get(part_id.upper(), b"")
            contents[part_id] = complete_lines(content) if part_id in cut else content
        if view.header_goes_on:
            others, recipients = (sections.get(f"HEADER.FIELDS{which}", b"") for which in (".NOT", ""))
            view = view.with_header(others, recipients)
    return MessageParts(
        fetched=fetched,
        view=view,
        octets=contents,
        cut=frozenset(cut),
        defects=(*structure.defects, *view.defects),
    )


def _fetch(session: Session, ref: MessageRef, items: Iterable[str]) -> FetchedMessage:
    result = fetch_messages(session, [ref.uid], ["UID", *items])
    if ref.uid in result.failures:
        raise fetch_error(ref, result.failures[ref.uid])
    return result.messages[ref.uid]


def find_by_message_id(
    session: Session, account_id: str, header_message_id: str
) -> tuple[MessageRef, int] | None:
    """Find a message that is no longer where its id says, by its Message-ID; three round trips.

    Messages move and mailboxes are rebuilt, but that header field (RFC 5322 section 3.6.4) stays. Its sender
    chose it, so a reply says that the message was found that way.

    Returns:
        The newest match in the first mailbox that has one; Junk and Trash come last. Also the number of other
        messages with the same Message-ID that are not proven to be copies of it. None if there is no match.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    wanted = find_ids(f"<{header_message_id}>")[:1]
    mailboxes = list_mailboxes(session)
    preferred = [each.name for each in in_preferred_order(mailboxes)]
    names = dict.fromkeys([*preferred, *(each.name for each in mailboxes if each.selectable)])
    query = IdQuery(ids=wanted)
    found = Folded[str, MessageRef]()
    for name, result in find_by_ids(session, names, query, items=COPY_ITEMS, known={}).items():
        if isinstance(result, ToolError):
            continue  # the other mailboxes count even if this one can't be searched
        for uid, row in sorted(result.fetched.messages.items(), reverse=True):
            headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
            if find_ids(headers.get("Message-ID")) == wanted:  # not a reply, and not a longer id
                ref = MessageRef(account_id=account_id, mailbox=name, uidvalidity=result.uidvalidity, uid=uid)
                found.add(name, ref, copy_keys(account_id, row))
    if not found.messages:
        return None
    first, *others = found.messages
    return next(iter(first.values())), len(others)
