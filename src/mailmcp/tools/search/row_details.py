"""What rows show beyond what the search has fetched: snippets of texts, and times of invitations.

One round trip for each account. A detail that can't be fetched is left out: the rows are complete without it.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.calendar.invitation import invitation_part, invitation_times
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.evidence import SearchTerms
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.rows import row_items
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.tool import Call

ROW_CALENDAR_OCTETS: Final = 32_768
"""Fetched of an invitation for its times, which may come after a hundred attendees and a description."""


async def fetch_snippets(
    call: Call, refs: Sequence[MessageRef], terms: SearchTerms
) -> Mapping[MessageRef, FetchedMessage]:
    """Fetch the starts of the texts of some messages, and the rest of their rows with them."""
    choose = row_items(snippets=True, terms=terms)
    return (await fetch_parts(call, refs, lambda session, _ref: choose(session))).messages


async def fetch_invitation_times(
    call: Call, found: Sequence[PageMessage], zone: tzinfo
) -> Mapping[MessageRef, str]:
    """Fetch the calendar objects of invitations, and return when each takes place."""
    parts = {}
    for each in found:
        root = parse_body_structure(each.row.body_structure).root if each.row else None
        part = invitation_part(root, each.row.sections) if each.row else None
        if part is not None:
            parts[each.ref] = part

    def choose(_session: Session, ref: MessageRef) -> Sequence[str]:
        return "UID", f"BODY.PEEK[{parts[ref].part_id}]<0.{ROW_CALENDAR_OCTETS}>"

    fetched = await fetch_parts(call, list(parts), choose)
    return {
        ref: invitation_times(message.sections.get(parts[ref].part_id, b""), parts[ref], zone)
        for ref, message in fetched.messages.items()
    }
