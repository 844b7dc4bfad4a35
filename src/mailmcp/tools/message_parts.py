"""Getting the octets of one message that a reply needs, and no others.

One FETCH brings flags, size, structure and the first octets together; only what then
is missing of the parts that are wanted costs a second one. Blocking.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage, fetch_messages
from mailmcp.imap.partial_fetch import BINARY_ENCODINGS, fetch_binary
from mailmcp.imap.session import Session
from mailmcp.mail.message import MessageView, parse_message
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.mime.transfer import ASCII_ENCODINGS, NULS_LOST, may_lack_nuls
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import fetch_error
from mcp_envelope import Code

_FIRST_ITEMS = ("UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", f"BODY.PEEK[]<0.{limits.FIRST_FETCH_OCTETS}>")

_HEADER_ITEMS = tuple(
    f"BODY.PEEK[HEADER.FIELDS{which} (TO CC)]<0.{limits.HEADERS_OCTETS_MAX}>" for which in (".NOT", "")
)
"""A long header is one of many recipients: they are fetched apart, so that they hide no other field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageParts:
    """A message, as much of it as was asked for."""

    fetched: FetchedMessage
    view: MessageView
    octets: dict[str, bytes] = field(default_factory=dict)
    """Content by part id, still transfer-encoded: of the wanted parts, and of others that came along."""

    cut: frozenset[str] = frozenset()
    """Wanted parts that are longer than what was fetched of them."""

    defects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantedPart:
    """A leaf whose content is needed."""

    part: Part
    octets_max: int = limits.TEXT_PART_OCTETS_MAX
    """Most octets to fetch of it, still transfer-encoded."""


def fetch_parts(
    session: Session, ref: MessageRef, choose: Callable[[Part], Sequence[WantedPart]]
) -> MessageParts:
    """Fetch a message and those of its leaves that `choose` picks; one round trip, or two for a large one.

    One more for what may hold NULs, which cannot come with the others.

    Raises:
        NotFoundError: The mailbox or the message is gone.
        ConflictError: The mailbox's UIDVALIDITY is not that of `ref`.
        InternalError: The server does not give the message.
    """
    session.examine(ref.mailbox, uidvalidity=ref.uidvalidity)
    fetched = _fetch_first(session, ref)
    octets = fetched.sections.get("", b"")
    size = fetched.size_octets if fetched.size_octets is not None else len(octets)
    structure = parse_body_structure(fetched.body_structure)
    view = parse_message(octets, complete=size <= len(octets), structure=structure.root)
    wanted = list(choose(view.structure)) if view.structure is not None else []
    here = {part.part_id: view.part_octets(part) for part in leaf_parts(view.structure)}
    missing = [each for each in wanted if here.get(each.part.part_id) is None]
    items = [f"BODY.PEEK[{each.part.part_id}]<0.{each.octets_max}>" for each in missing]
    if view.header_goes_on:
        items += _HEADER_ITEMS
    sections = _fetch_sections(session, ref, items)
    there = {each.part.part_id: _fetched_of(each, sections) for each in missing}
    if view.header_goes_on:
        view = view.with_header(sections.get("HEADER.FIELDS.NOT", b""), sections.get("HEADER.FIELDS", b""))
    found = {name: content for name, content in here.items() if content is not None} | there
    parts = {each.part.part_id: each.part for each in wanted}
    doubtful = [part for name, part in parts.items() if _may_lack_nuls(part, found[name])]
    exact = _fetch_nuls(session, ref, doubtful, found)
    return MessageParts(
        fetched=fetched,
        view=view,
        octets=found | exact,
        cut=frozenset(each.part.part_id for each in missing if each.part.size_octets > each.octets_max),
        defects=(*structure.defects, *view.defects, *([NULS_LOST] if len(exact) < len(doubtful) else [])),
    )


def _fetch_first(session: Session, ref: MessageRef) -> FetchedMessage:
    result = fetch_messages(session, [ref.uid], [*_FIRST_ITEMS, "BODYSTRUCTURE"])
    failure = result.failures.get(ref.uid)
    if failure is not None and failure.code is Code.INTERNAL:
        # Servers give structures that cannot be read, or fail to make one: the octets will do.
        result = fetch_messages(session, [ref.uid], _FIRST_ITEMS)
        failure = result.failures.get(ref.uid)
    if failure is not None:
        raise fetch_error(ref, failure)
    return result.messages[ref.uid]


def _fetch_sections(session: Session, ref: MessageRef, items: Sequence[str]) -> Mapping[str, bytes]:
    if not items:
        return {}
    result = fetch_messages(session, [ref.uid], ["UID", *items])
    if ref.uid in result.failures:
        raise fetch_error(ref, result.failures[ref.uid])
    return result.messages[ref.uid].sections


def _may_lack_nuls(part: Part, octets: bytes) -> bool:
    return part.encoding not in ASCII_ENCODINGS and may_lack_nuls(octets, part.charset)


def _fetch_nuls(
    session: Session, ref: MessageRef, parts: Sequence[Part], known: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Fetch again what may have had NULs; what the server cannot give exactly is left out."""
    counts = {part.part_id: len(known[part.part_id]) for part in parts if part.encoding in BINARY_ENCODINGS}
    exact = fetch_binary(session, ref.uid, counts)
    return {name: octets for name, octets in exact.items() if len(octets) == counts[name]}


def _fetched_of(wanted: WantedPart, sections: Mapping[str, bytes]) -> bytes:
    octets = sections.get(wanted.part.part_id.upper(), b"")
    return complete_lines(octets) if wanted.part.size_octets > wanted.octets_max else octets


def complete_lines(octets: bytes) -> bytes:
    """End what was cut with a whole line: no escape of a transfer encoding goes over one."""
    return octets[: octets.rfind(b"\n") + 1] or octets
