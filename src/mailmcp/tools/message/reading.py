"""Reading one message: its text, and what there is to say of who wrote it and how far to trust it.

Pure: the octets are there (`mailmcp.tools.message_parts` fetched them). What a reply shows of it is for
the tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.mail.charset.decode import WRONG_CHARSET
from mailmcp.mail.conversation import read_links
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.header.subject import is_forward_subject
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.text_parts import choose_text_parts
from mailmcp.mail.notices import Notice, choose_notice_parts, read_notices
from mailmcp.mail.protection import Protection, read_protection
from mailmcp.mail.text.alternatives import Missing, lines_not_in_html
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.quotes import CollapsedText, collapse_quotes
from mailmcp.mail.trust.authentication import Authentication, read_authentication
from mailmcp.mail.trust.sender import Suspicion, invisible_in_headers, judge_sender
from mailmcp.tools.message_parts import MessageParts, WantedPart
from mailmcp.tools.preferences import Owner
from mailmcp.tools.removed_content import removal_warnings
from mailmcp.tools.wording import counted, were

_BLANK_OCTETS = 256
"""Plain text this short may be blank: senders of HTML put it there for form's sake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One message, read."""

    parts: MessageParts
    body: BodyText
    text: str
    """The body's text, its quoted history collapsed if that was asked for."""

    quoted_lines: int
    """Lines of quoted history that were taken out of `text`, from 0."""

    not_in_html: Missing
    """What the plain text says and the HTML does not show; nothing if its octets are not here."""

    notices: tuple[Notice, ...]
    protection: Protection
    authentication: Authentication
    suspicions: tuple[Suspicion, ...]
    invisible_in_headers: int
    """Characters taken out of what is shown of the header fields."""


def choose_text(root: Part, *, with_html: bool = False) -> tuple[Part, ...]:
    """Choose the leaves that the text of a message is read from; HTML too if the plain text may be blank."""
    text = choose_text_parts(root)
    almost_blank = sum(part.size_octets for part in text.plain) < _BLANK_OCTETS
    return text.all if with_html or almost_blank else text.plain


def choose_parts(root: Part, *, with_html: bool) -> list[WantedPart]:
    """Choose the leaves that are needed to read a message: its text, and its notices."""
    wanted = {part.part_id: part for part in choose_text(root, with_html=with_html)}
    wanted |= {part.part_id: part for part in choose_notice_parts(root)}
    return [WantedPart(part) for part in wanted.values()]


def read_parts(parts: MessageParts, owner: Owner, *, collapse: bool) -> Reading:
    """Read a message.

    Args:
        parts: Its octets: those that `choose_parts` chooses, at least.
        owner: Whose account it is in.
        collapse: Whether quoted history becomes one line.
    """
    root, headers = parts.view.structure, parts.view.headers
    text_parts = choose_text_parts(root)
    body = body_text(text_parts, parts.octets)
    cut_html = parts.cut.intersection(part.part_id for part in text_parts.html)
    protection = read_protection(root, body.text, clear_signed=body.clear_signed)
    collapsed = _collapse(body.text, headers) if collapse else None
    return Reading(
        parts=parts,
        body=body,
        text=collapsed.text if collapsed else body.text,
        quoted_lines=collapsed.lines_collapsed if collapsed else 0,
        not_in_html=Missing() if cut_html else lines_not_in_html(text_parts, parts.octets),
        notices=read_notices(choose_notice_parts(root), parts.octets),
        protection=protection,
        authentication=read_authentication(headers, owner.trusted_authserv_ids),
        suspicions=judge_sender(headers, own_names=owner.names, own_addresses=owner.addresses),
        invisible_in_headers=invisible_in_headers(headers),
    )


def _collapse(text: str, headers: Headers) -> CollapsedText:
    forwarded = is_forward_subject(headers.get("Subject"))
    return collapse_quotes(text, reply=read_links(headers).answers, forwarded=forwarded)


def reading_warnings(reading: Reading) -> tuple[str, ...]:
    """Say what a reader of the text must know: what was left out, what is odd, whom to doubt."""
    warnings = [each.message for each in reading.suspicions]
    if reading.protection.note:
        warnings.append(reading.protection.note)
    if reading.parts.cut:
        warnings.append(f"Only the first {limits.TEXT_PART_OCTETS_MAX} octets of a very long text were read.")
    warnings += removal_warnings([reading.body], where="the body", in_source=True)
    if reading.not_in_html.lines:
        are = "is" if reading.not_in_html.lines == 1 else "are"
        lines = counted(reading.not_in_html.lines, "line")
        warnings.append(f"{lines} of the plain text {are} not in the HTML that people see.")
    if reading.invisible_in_headers:
        warnings.append(
            f"{were(reading.invisible_in_headers, 'invisible character')} taken out of the header fields."
        )
    if reading.parts.fetched.internal_date and not parse_date(reading.parts.view.headers.get("Date")):
        warnings.append("The message has no readable date: the date shown is when the server received it.")
    defects = _defects(reading)
    if defects:
        warnings.append(f"The message is malformed: {'; '.join(defects)}.")
    return tuple(warnings)


def _defects(reading: Reading) -> Sequence[str]:
    noticed = (defect for notice in reading.notices for defect in notice.defects)
    defects = dict.fromkeys((*reading.parts.defects, *reading.body.defects, *noticed))
    if 0 < reading.body.text.count("\ufffd") <= len(reading.parts.cut):
        defects.pop(WRONG_CHARSET, None)  # the character that was cut in two
    return tuple(defects)
