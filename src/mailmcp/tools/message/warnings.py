"""Warnings about one message: what was removed from its text, what is odd, and doubts about the sender."""

from collections.abc import Sequence
from dataclasses import replace

from mailmcp import limits
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.html.convert import HtmlText
from mailmcp.mail.read import ReadMessage
from mailmcp.mail.removed_content import Removed
from mailmcp.tools.message.fetch import MessageParts
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.wording import counted


def message_warnings(
    parts: MessageParts, message: ReadMessage, *, with_text: bool = True, html: Sequence[HtmlText] = ()
) -> list[str]:
    """List what a reader must know.

    Args:
        parts: What was fetched.
        message: What was read of it.
        with_text: Whether its text is in the reply.
        html: What is in the reply of its HTML.
    """
    warnings = [each.message for each in message.suspicions]
    if message.protection_note:
        warnings.append(message.protection_note)
    if parts.cut:
        warnings.append(f"Only the first {limits.TEXT_PART_OCTETS_MAX} octets of a very long text were read.")
    if with_text:
        warnings += message.body.removed.warnings(where="the body", source=GET_MESSAGE_RAW)
    warnings += Removed.total(each.removed for each in html).warnings(
        where="the HTML", source=GET_MESSAGE_RAW
    )
    not_in_html = message.not_in_html
    if html:
        not_in_html = replace(not_in_html, html_lines=0)
    warnings += not_in_html.warnings(html_shown_by="body_mode=html")
    if message.invisible_in_headers:
        characters = counted(message.invisible_in_headers, "invisible character")
        warnings.append(f"Removed {characters} from the header fields.")
    if parts.fetched.internal_date and not parse_date(parts.view.headers.get("Date")):
        warnings.append("The message has no readable date: the date shown is when the server received it.")
    defects = dict.fromkeys((*parts.defects, *message.defects))
    if defects:
        warnings.append(f"The message is malformed: {'; '.join(defects)}.")
    return warnings
