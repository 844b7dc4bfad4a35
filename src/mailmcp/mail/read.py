"""Read one message: octets and structure in; text, notices and suspicions out.

The front door of this package. `read_message` calls the rooms in the order in which a message is
read. `read_attached_message` does the same for a message inside a message, as text alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import islice
from typing import Final

from mailmcp.limits import NOTICE_CHARS_MAX
from mailmcp.mail.charset.decode import WRONG_CHARSET
from mailmcp.mail.clean import bounded_line, clean_line
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.header.subject import is_forward_subject
from mailmcp.mail.message import MessageView, parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.notices import (
    TOO_MANY_NOTICES,
    Notice,
    choose_notice_parts,
    leaves_out_notices,
    read_notices,
)
from mailmcp.mail.people import people_of
from mailmcp.mail.protection import protection_note
from mailmcp.mail.removed_content import Removed
from mailmcp.mail.text.alternatives import PlainOnly, lines_not_in_html
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.quotes import collapse_quotes
from mailmcp.mail.thread import parse_thread_headers
from mailmcp.mail.trust.authentication import read_authentication, usual_authserv_ids
from mailmcp.mail.trust.sender import Suspicion, check_sender, count_invisible
from mailmcp.model.owner import NOBODY, Owner
from mailmcp.wording import counted

_STUB_OCTETS: Final = 1_024
"""Plain text this short may be blank or a stub, with a long link: senders of HTML add it for form's sake."""

_STUB_SHARE: Final = 20
"""So may one whose HTML is so many times longer."""

_ATTACHMENTS_NAMED: Final = 20
MESSAGES_INSIDE_MAX: Final = 50
"""Messages that are read with the one that holds them: a long digest."""

_MESSAGES_DEEP_MAX: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedMessage:
    """A message inside a message, read."""

    body: BodyText
    """Its text begins with Subject, From, To, Cc and Date, and ends with the messages inside."""

    not_in_html: PlainOnly
    """What its plain text says and its HTML doesn't show; nothing if the message is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """The text of one message."""

    body: BodyText
    text: str
    """The body's text, with its quoted history collapsed if requested."""

    quoted_lines: int
    """Lines of quoted history removed from `text`."""

    is_cut: bool
    """Whether the message has more text than was fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage(ReadText):
    """One message, read."""

    not_in_html: PlainOnly
    """What the plain text says and the HTML doesn't show; nothing if the HTML is cut or missing."""

    notices: tuple[Notice, ...]
    protection_note: str
    """How it is signed or encrypted, in one sentence; "" for an ordinary message."""

    authentication: str
    """As "spf=pass dkim=pass dmarc=fail", or "not known"."""

    suspicions: tuple[Suspicion, ...]
    invisible_in_headers: int
    """Invisible characters removed from the header fields that are shown."""

    defects: tuple[str, ...]


def text_to_fetch(root: Part, *, with_html: bool = False) -> tuple[Part, ...]:
    """Choose the leaves that the text is read from; the HTML too if the plain text may be blank or a stub."""
    text = choose_text_parts(root)
    plain, html = (sum(part.decoded_size for part in parts) for parts in (text.plain, text.html))
    may_be_stub = plain < _STUB_OCTETS or plain * _STUB_SHARE < html
    return text.all if with_html or may_be_stub else text.plain


def parts_to_fetch(root: Part, *, with_html: bool = False) -> tuple[Part, ...]:
    """Choose the leaves that `read_message` needs: those of the text, and those of the notices."""
    parts = (*text_to_fetch(root, with_html=with_html), *choose_notice_parts(root))
    return tuple({part.part_id: part for part in parts}.values())


def read_text(
    headers: Headers,
    root: Part | None,
    octets: Mapping[str, bytes],
    *,
    cut: frozenset[str] = frozenset(),
    collapse: bool = True,
) -> ReadText:
    """Read the text of a message; the arguments are those of `read_message`."""
    text_parts = choose_text_parts(root)
    body = body_text(text_parts, octets, cut=cut)
    read = text_parts.html if body.from_html else text_parts.plain
    is_cut = not cut.isdisjoint(part.part_id for part in read)
    text, quoted_lines = body.text.rstrip("\ufffd") if is_cut else body.text, 0
    if collapse:
        collapsed = collapse_quotes(
            text,
            reply=parse_thread_headers(headers).is_answer,
            forwarded=is_forward_subject(headers.get("Subject")),
        )
        text, quoted_lines = collapsed.text, collapsed.lines_collapsed
    return ReadText(body=body, text=text, quoted_lines=quoted_lines, is_cut=is_cut)


def read_message(
    view: MessageView,
    octets: Mapping[str, bytes],
    *,
    cut: frozenset[str] = frozenset(),
    owner: Owner = NOBODY,
    zone: tzinfo | None = None,
    collapse: bool = True,
) -> ReadMessage:
    """Read a message; never raises, whatever the message holds.

    Args:
        view: Its header fields and structure.
        octets: Content by part id, still transfer-encoded: at least that of `parts_to_fetch`.
        cut: Ids of the parts whose content is only a beginning.
        owner: Who owns the account.
        zone: The owner's, for the times of invitations.
        collapse: Whether to replace quoted history with one line.
    """
    headers, root = view.headers, view.structure
    text_parts = choose_text_parts(root)
    html_is_cut = not cut.isdisjoint(part.part_id for part in text_parts.html)
    found = read_text(headers, root, octets, cut=cut, collapse=collapse)
    body = found.body
    notices = read_notices(choose_notice_parts(root), octets, zone=zone)
    defects = dict.fromkeys((*body.defects, *(defect for notice in notices for defect in notice.defects)))
    if leaves_out_notices(root):
        defects[TOO_MANY_NOTICES] = None
    if 0 < body.text.count("\ufffd") <= len(cut):
        defects.pop(WRONG_CHARSET, None)  # the character that was cut in two
    return ReadMessage(
        body=body,
        text=found.text,
        quoted_lines=found.quoted_lines,
        is_cut=found.is_cut,
        not_in_html=(
            PlainOnly() if html_is_cut else lines_not_in_html(text_parts, octets, html_is_read=body.from_html)
        ),
        notices=notices,
        protection_note=protection_note(root, body.text, clear_signed=body.clear_signed),
        authentication=read_authentication(
            headers,
            usual_authserv_ids(owner) if owner.trusted_authserv_ids is None else owner.trusted_authserv_ids,
        ),
        suspicions=check_sender(headers, own_names=owner.names, own_addresses=owner.addresses),
        invisible_in_headers=count_invisible(headers),
        defects=tuple(defects),
    )


def read_attached_message(octets: bytes, *, part_id: str = "", cut: bool = False) -> AttachedMessage:
    """Write a message as text, and those inside it, for attachments of type message/rfc822 and `.eml` files.

    Args:
        octets: The message, transfer encoding already removed.
        part_id: Of the part that it is, if its own parts can be fetched by their ids (RFC 9051
            section 6.4.5.1); "" if they can't, as in a file.
        cut: Whether the octets are only a beginning.

    Returns:
        For each message Subject, From, To, Cc and Date without empty ones, its text, and its attachments;
        at most MESSAGES_INSIDE_MAX messages.
    """
    found = list(islice(_read_levels(octets, part_id, cut, 0), MESSAGES_INSIDE_MAX + 1))
    levels = found[:MESSAGES_INSIDE_MAX]
    texts = [each.body.text for each in levels]
    if len(found) > len(levels):
        texts.append(f"(Messages after the first {MESSAGES_INSIDE_MAX} are not shown)")
    only = [each.not_in_html for each in levels]
    return AttachedMessage(
        body=replace(
            levels[0].body,
            text="\n\n".join(filter(None, texts)),
            removed=Removed.total(each.body.removed for each in levels),
            defects=tuple(dict.fromkeys(defect for each in levels for defect in each.body.defects)),
        ),
        not_in_html=PlainOnly(
            lines=sum(each.lines for each in only),
            maybe_lines=sum(each.maybe_lines for each in only),
            first=next((each.first for each in only if each.first), ""),
            html_lines=sum(each.html_lines for each in only),
        ),
    )


def _read_levels(octets: bytes, part_id: str, cut: bool, depth: int) -> Iterator[AttachedMessage]:  # noqa: FBT001 - private
    """Yield a message and those inside it, in reading order."""
    view = parse_message(octets, complete=True)
    text_parts = choose_text_parts(view.structure)
    contents = view.contents()
    body = body_text(text_parts, contents, full_links=True)
    attached = list_attachments(view.structure, text_parts)
    ids = [f"{part_id}.{each.part_id}" if part_id else "" for each in attached]
    lines = [
        f"Attachment: {each.filename or each.subject or '(unnamed)'} "
        f"({each.content_type}{f', part {own_id}' if own_id else ''})"
        for each, own_id in list(zip(attached, ids, strict=True))[:_ATTACHMENTS_NAMED]
    ]
    if len(attached) > _ATTACHMENTS_NAMED:
        lines.append(f"and {counted(len(attached) - _ATTACHMENTS_NAMED, 'more attachment')}")
    title = f"--- Attached message{f', part {part_id}' if part_id else ''} ---" if depth else ""
    head = "\n".join(filter(None, [title, *head_lines(view.headers)]))
    yield AttachedMessage(
        body=replace(
            body,
            text="\n\n".join(filter(None, [head, body.text, "\n".join(lines)])),
            defects=tuple(dict.fromkeys((*view.defects, *body.defects))),
        ),
        not_in_html=(
            PlainOnly() if cut else lines_not_in_html(text_parts, contents, html_is_read=body.from_html)
        ),
    )
    for each, own_id in zip(attached, ids, strict=True):
        if each.is_message and depth < _MESSAGES_DEEP_MAX:
            inner = decode_transfer(contents.get(each.part_id, b""), each.encoding).octets
            yield from _read_levels(inner, own_id if each.has_numbered_parts else "", cut, depth + 1)


def head_lines(headers: Headers) -> list[str]:
    """Write Subject, From, To, Cc and Date on bounded lines, without empty ones."""
    values = {"Subject": clean_line(headers.get("Subject")).text}
    for name in ("From", "To", "Cc"):
        values[name] = people_of(headers, name, max_chars=NOTICE_CHARS_MAX).text
    values["Date"] = headers.get("Date")
    return [f"{name}: {bounded_line(value)}" for name, value in values.items() if value]
