"""The line of a group in a reply."""

from datetime import UTC, datetime, tzinfo

from mailmcp.limits import LINK_CHARS_MAX
from mailmcp.mail.header.address import Address, format_address
from mailmcp.mail.header.dates import format_rfc3339
from mailmcp.mail.trust.link import LinkKind, parse_link
from mailmcp.model.message_ref import parse_ref
from mailmcp.tools.columns import people_column
from mailmcp.tools.search.data import GroupRow
from mailmcp.tools.search.groups.keys import GroupBy
from mailmcp.wording import counted
from mcp_envelope import code
from mcp_envelope.markdown import quote

_LACKING = {
    GroupBy.SENDER: "without a sender",
    GroupBy.DOMAIN: "without a sender",
    GroupBy.LIST: "not from a list",
}
"""What a line calls messages without a key. In groups by time, nothing says when they arrived."""

PLURALS = {GroupBy.MAILBOX: "mailboxes"}


def group_line(row: GroupRow, group_by: GroupBy, zone: tzinfo) -> str:
    """Format a group: how many, who or what, when last, how to unsubscribe.

    The id of the newest message is in the data only: the next call is rather a search for the group.
    """
    unread = "" if row.unread == row.count else f", {row.unread}"
    columns = [f"{row.count}{unread} unread" if row.unread else str(row.count), _key_column(row, group_by)]
    if row.newest and not group_by.is_time:
        columns.append(f"{datetime.fromisoformat(row.newest).astimezone(zone):%Y-%m-%d}")
    if row.unsubscribe:
        columns.append(_unsubscribe_column(row))
    return f"- {' | '.join(columns)}"


def _key_column(row: GroupRow, group_by: GroupBy) -> str:
    if not row.key:
        return _LACKING.get(group_by, "at an unknown time")
    if group_by.is_time:
        return row.key
    if group_by is GroupBy.MAILBOX:
        ref = parse_ref(row.message_id or "")
        if ref is None or ref.mailbox == row.key:
            return code(row.key)
        return f"{code(ref.mailbox)} ({ref.account_id})"  # of several accounts
    return people_column(format_address(Address(name=row.name or "", address=row.key)))


def _unsubscribe_column(row: GroupRow) -> str:
    """Show the first way whole if it is short, and otherwise where it leads; the data has all of them."""
    address = (row.unsubscribe or [""])[0]
    link = parse_link(address)
    how = "unsubscribe by one POST" if row.one_click else "unsubscribe"
    if link.kind is LinkKind.MAIL and len(link.target) <= LINK_CHARS_MAX:
        return f"{how} {quote(link.target)}"
    if link.kind is LinkKind.WEB and len(address) <= LINK_CHARS_MAX:
        return f"{how} at {quote(address)}"  # with the parameters that say who it is
    return f"{how} at {quote(link.host)}" if link.host else how


def format_moment(epoch: int) -> str:
    """Format a time of arrival for programs."""
    return format_rfc3339(datetime.fromtimestamp(epoch, UTC))


def groups_named(count: int, group_by: GroupBy) -> str:
    """Return `1 sender` or `3 senders`."""
    return counted(count, group_by.value, PLURALS.get(group_by, ""))
