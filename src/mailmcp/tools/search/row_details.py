"""What rows show beyond what the search has fetched: times of invitations, recipients of bounces.

One round trip for each account. A detail that can't be fetched is left out: the rows are complete without it.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final

from mailmcp.imap.session import Session
from mailmcp.mail.calendar.invitation import (
    InvitationVersion,
    find_replaced,
    invitation_part,
    read_invitation,
)
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.notices import delivery_report_part, failed_recipients
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.tool import Call

_RECIPIENTS_MAX: Final = 2  # named in the row of a bounce
ROW_PART_OCTETS: Final = 32_768
"""Fetched of an invitation for its times, which may come after a hundred attendees and a description."""


async def fetch_details(
    call: Call, found: Sequence[PageMessage], zone: tzinfo, *, invitations: bool
) -> Mapping[MessageRef, dict[str, object]]:
    """Fetch the recipients of delivery reports and, on request, when invitations take place.

    Returns:
        Fields of `MessageRow`, for messages that have any.
    """
    parts: dict[MessageRef, Part] = {}
    for each in found:
        root = parse_body_structure(each.row.body_structure).root if each.row else None
        part = delivery_report_part(root)
        if part is None and invitations and each.row:
            part = invitation_part(root, each.row.sections)
        if part is not None:
            parts[each.ref] = part

    if not parts:
        return {}

    def choose(_session: Session, ref: MessageRef) -> Sequence[str]:
        return "UID", f"BODY.PEEK[{parts[ref].part_id}]<0.{ROW_PART_OCTETS}>"

    fetched = await fetch_parts(call, list(parts), choose)
    details: dict[MessageRef, dict[str, object]] = {}
    read: dict[MessageRef, InvitationVersion] = {}
    for ref, message in fetched.messages.items():
        part, octets = parts[ref], message.sections.get(parts[ref].part_id, b"")
        if not part.is_calendar and delivery_report_part(part) is not None:
            failed = failed_recipients(octets, part)[:_RECIPIENTS_MAX]
            details[ref] = {"not_delivered_to": list(failed) or None}
        elif (invitation := read_invitation(octets, part, zone)) is not None:
            read[ref] = invitation
    replaced = find_replaced(read)
    for ref, one in read.items():
        replaced_by = replaced[ref].message_id if ref in replaced else None
        details[ref] = {"when": one.times or None, "replaced_by": replaced_by}
    return details
