"""The reply to a search with `group_by`: groups instead of messages, and how far they can be trusted."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Final

from mailmcp.limits import LINK_CHARS_MAX
from mailmcp.mail.header.address import Address, format_address
from mailmcp.mail.trust.link import parse_link
from mailmcp.tools.columns import people_column
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.data import GroupRow, LeanSearchMessagesData, SearchMessagesData
from mailmcp.tools.search.failures import explain_failures, search_warnings, source_issues
from mailmcp.tools.search.groups.count import Grouped, group_matches
from mailmcp.tools.search.groups.keys import GroupBy
from mailmcp.tools.search.nothing_found import Counts, look_around, suggest_search
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import Issue, Outcome, Page, code
from mcp_envelope.markdown import quote

GROUP_TIMES_DEFAULT: Final = 31
"""Days, months or years in a reply: a month, or all months of a year. Each takes some 10 tokens."""

_COPIES: Final = "A message that is in several mailboxes counts in each."
_LACKING: Final = {
    GroupBy.SENDER: "without a sender",
    GroupBy.DOMAIN: "without a sender",
    GroupBy.LIST: "not from a list",
}
"""What a line calls messages without a key. In groups by time, nothing says when they arrived."""


async def reply_with_groups(
    search: Search, group_by: GroupBy, sent: SearchMessagesArguments, call: Call
) -> Outcome[LeanSearchMessagesData]:
    """Reply with groups of the matches; two round trips, and one for each further 2,000 messages."""
    if group_by.is_time and "limit" not in sent.model_fields_set:
        search = replace(search, page_size=GROUP_TIMES_DEFAULT)
    searches, grouped = await group_matches(call, search, group_by)
    await explain_failures(call, searches)
    zone = call.preferences.zone
    caveats: tuple[str, ...] = ()
    if grouped.counted < grouped.total:
        how_many = f"Counted {grouped.counted} of {grouped.total} possible matches"
        caveats = (f"{how_many}, those added last to each mailbox; since and before choose others.",)
    coverage, counts, next_action = Coverage(searches=searches, caveats=caveats), Counts(), None
    if not grouped.total:
        counts = await look_around(call, coverage)
        next_action = suggest_search(coverage, counts)
    data = LeanSearchMessagesData if call.lean_rows else SearchMessagesData
    return Outcome(
        summary=_summary(coverage, grouped, group_by, zone),
        data=data(
            account_id=search.arguments.account_id,
            mailbox=", ".join(search.arguments.names),
            total=grouped.total,
            total_at_most=None if grouped.total_exact else True,
            attempted=len(grouped.rows),
            returned=len(grouped.rows),
            failed=0,
            messages=(),
            groups=grouped.rows,
            counted=grouped.counted,
            coverage=coverage.data,
        ),
        blocks=(
            *(group_line(row, group_by, zone) for row in grouped.rows),
            *([_COPIES] if grouped.counted and len(searches.pages) > 1 else []),
            *coverage.lines(empty=not grouped.rows),
        ),
        issues=(*source_issues(searches), *_lost_issues(searches)),
        warnings=(*search_warnings(searches, sent, call.today), *counts.sentences),
        page=Page(page_size=search.page_size, total_count=grouped.group_count),
        next_action=next_action,
    )


def _summary(coverage: Coverage, grouped: Grouped, group_by: GroupBy, zone: tzinfo) -> str:
    if not grouped.total:
        return coverage.summarize_nothing_found()
    shown = sum(bool(row.key) for row in grouped.rows)
    plural = "mailboxes" if group_by is GroupBy.MAILBOX else ""
    groups = counted(grouped.group_count, group_by.value, plural)
    if shown < grouped.group_count:
        groups = f"{shown} of {groups}"
    messages = f"{'' if grouped.total_exact else 'at most '}{counted(grouped.total, 'message')}"
    if grouped.counted < grouped.total:
        messages = f"{grouped.counted} of {messages}"
    return coverage.summarize(f"{groups} in {messages} in {coverage.where}", zone, verb="counted")


def _lost_issues(searches: Searches) -> Iterator[Issue]:
    """Build an issue for each mailbox of which some messages could not be fetched."""
    for source, page in searches.pages.items():
        for failure in [*page.fetched.failures.values()][:1]:
            # Where the connection was lost, the messages that didn't come are among those that are left.
            missing = page.left if page.fetched.interrupted else len(page.fetched.failures)
            yield Issue(
                code=failure.code,
                reason=failure.reason,
                stage=failure.stage,
                message=f"{counted(missing, 'message')} not counted. {failure.message}",
                retryable=failure.retryable,
                about={"mailbox": page.mailbox, "account_id": source.account_id},
            )


def group_line(row: GroupRow, group_by: GroupBy, zone: tzinfo) -> str:
    """Format a group: how many, who or what, when last, how to unsubscribe.

    The id of the newest message is in the data only: the next call is rather a search for the group.
    """
    unread = "" if row.unread == row.count else f", {row.unread}"
    columns = [f"{row.count}{unread} unread" if row.unread else str(row.count), _key_column(row, group_by)]
    if row.newest and not group_by.is_time:
        columns.append(f"{datetime.fromisoformat(row.newest).astimezone(zone):%Y-%m-%d}")
    if row.unsubscribe:
        # A short way is shown whole, of others where it leads; the data has all of them.
        [address, *_] = row.unsubscribe
        shown = address if len(address) <= LINK_CHARS_MAX else parse_link(address).host
        how = "unsubscribe by one POST" if row.one_click else "unsubscribe"
        columns.append(f"{how} at {quote(shown)}" if shown else how)
    return f"- {' | '.join(columns)}"


def _key_column(row: GroupRow, group_by: GroupBy) -> str:
    if not row.key:
        return _LACKING.get(group_by, "at an unknown time")
    if group_by.is_time:
        return row.key
    if group_by is GroupBy.MAILBOX:
        return code(row.key)
    return people_column(format_address(Address(name=row.name or "", address=row.key)))
