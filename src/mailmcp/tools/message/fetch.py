"""Fetches the octets of one message that a reply needs, and no others.

The first FETCH brings flags, size, structure and the first octets. A second one brings the wanted parts that
are still missing. Blocking.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from mailmcp import limits
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.message import MessageView, parse_message
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.mime.transfer import complete_lines
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import fetch_error

FIRST_FETCH_OCTETS: Final = 131_072
"""Fetched of a message at first: nine in ten messages are smaller and need no second FETCH."""

_FIRST_ITEMS: Final = (
    "FLAGS",
    "INTERNALDATE",
    "RFC822.SIZE",
    f"BODY.PEEK[]<0.{FIRST_FETCH_OCTETS}>",
    "BODYSTRUCTURE",
)


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
    if missing:
        items = [f"BODY.PEEK[{each.part.part_id}]<0.{each.octets_max}>" for each in missing]
        sections = _fetch(session, ref, items).sections
        for part_id in (each.part.part_id for each in missing):
            content = sections.get(part_id.upper(), b"")
            contents[part_id] = complete_lines(content) if part_id in cut else content
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
