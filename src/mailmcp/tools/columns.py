"""A message in a list as Markdown: columns that name when, who, what, files and the id.

Everything that strangers wrote is quoted: no subject can fake a column, no sender a mark.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from mailmcp.mail.text.snippet import ELLIPSIS
from mailmcp.tools.attachment_row import files_column
from mailmcp.tools.rows import ListedRow, MessageRow
from mcp_envelope import code
from mcp_envelope.markdown import quote

_MARKS: Final = {
    "\\flagged": "flagged",
    "\\answered": "answered",
    "\\draft": "draft, not sent",
    "\\deleted": "deleted",
}
_INVITATIONS: Final = {"cancel": "invitation cancelled", "reply": "invitation answered"}
"""Methods of RFC 5546; the others are plain invitations."""

_BRACKETED: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|(?<= )<([^<>]*+)>(?=, |$)')
_MEGABYTE: Final = 1_000_000


def row_lines(row: MessageRow, *, zone: tzinfo = UTC, sizes: bool = False) -> tuple[str, ...]:
    """Format a row: its columns, then where else it is and where the search matched.

    `sizes` shows sizes below a megabyte too.
    """
    who = people_column(row.from_) or "no sender"
    if row.to is not None:
        who = f"to {people_column(row.to) or 'nobody'}"
    columns = list_columns(row, who, zone=zone, when=(row.when or "").replace(f" ({zone})", ""))
    if row.replaced_by:
        columns.append(f"replaced by {code(row.replaced_by)}")
    if row.not_delivered_to:
        columns.append(f"not delivered to {quote(', '.join(row.not_delivered_to))}")
    octets = row.size_bytes or 0
    if octets >= _MEGABYTE:
        columns.append(f"{octets / _MEGABYTE:.1f} MB")
    elif sizes and octets:
        columns.append(f"{octets / 1_000:.1f} kB")
    lines = [f"- {' | '.join([*columns, code(row.message_id)])}"]
    lines += places_line(row.places or ())
    # A place that the row shows needs no mention.
    shown = {"subject", "body" if row.snippet else "", "from" if row.to is None else ""}
    unseen = [each for each in row.matched_in or () if each not in shown]
    found = f" (found in {', '.join(unseen)})" if unseen else ""
    if row.snippet:
        lines.append(f"  > {quote(row.snippet)}{found}")
    elif found:
        lines.append(f" {found}")
    return tuple(lines)


def list_columns(row: ListedRow, who: str, *, zone: tzinfo, when: str = "") -> list[str]:
    """Format what all lists show of a message, except its id.

    `who` wrote it, or received it, and is quoted; `when` is the time of an invitation, "" if it is unknown.
    """
    time = time_column(row.date, zone, arrived=row.arrived)
    if row.arrived and row.arrived != row.date:
        time += f", arrived {datetime.fromisoformat(row.arrived).astimezone(zone):%Y-%m-%d}"
    flags = {flag.lower() for flag in row.flags}
    marks = [mark for flag, mark in _MARKS.items() if flag in flags]
    if "\\seen" not in flags:
        marks.insert(0, "unread")
    invitation = _INVITATIONS.get(row.invitation, "invitation") if row.invitation else ""
    if invitation and when:
        invitation += f": {quote(when)}"
    return [
        time,
        *filter(None, [", ".join(marks), "look-alike sender" if row.suspicions else "", invitation]),
        f"{who}: {quote(row.subject) or 'no subject'}",
        *(["files unknown"] if row.attachments_unknown else []),
        *files_column(row.attachments or (), row.attachments_total),
    ]


def time_column(date: str, zone: tzinfo, *, arrived: str | None = None) -> str:
    """Format a date in `zone`; `date` is RFC 3339, or "" if it is unknown.

    A date that is only when the message arrived says so.
    """
    time = f"{datetime.fromisoformat(date).astimezone(zone):%Y-%m-%d %H:%M}" if date else "no date"
    return f"arrived {time}" if date and date == arrived else time


def people_column(written: str) -> str:
    """Format addresses in parentheses: escaped angle brackets would cost a token each. Quoted names stay."""
    return quote(_BRACKETED.sub(lambda match: f"({match[1]})" if match[1] else match[0], written))


def places_line(places: Sequence[str]) -> list[str]:
    """Write a line with the ids of copies, "…" for the rest; none if there are none."""
    shown = ", ".join(each if each == ELLIPSIS else code(each) for each in places)
    return [f"  also {shown}"] if shown else []
