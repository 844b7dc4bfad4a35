"""The reply to a search with `group_by`: groups instead of messages, and how far they can be trusted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, tzinfo
from typing import Final

from mailmcp import limits
from mailmcp.imap.search.values import MailboxPage
from mailmcp.limits import LINK_CHARS_MAX
from mailmcp.mail.header.address import Address, format_address
from mailmcp.mail.header.dates import format_rfc3339
from mailmcp.mail.trust.link import LinkKind, parse_link
from mailmcp.model.message_ref import parse_ref
from mailmcp.tools.columns import people_column
from mailmcp.tools.search.advice import search_warnings
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.data import GroupRow, LeanSearchMessagesData, SearchMessagesData
from mailmcp.tools.search.failures import excluded_in_vain, explain_failures, source_issues
from mailmcp.tools.search.groups.count import Grouped, group_matches
from mailmcp.tools.search.groups.keys import GroupBy, period_days
from mailmcp.tools.search.nothing_found import NO_COUNTS, Counts, look_around, suggest_search
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search, as_sent, can_be_sent, repeat_search
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import Issue, NextAction, Outcome, Page, code
from mcp_envelope.markdown import quote

GROUP_TIMES_DEFAULT: Final = 31
"""Days, weeks, months or years in a reply: a month, or all months of a year. Each takes some 10 tokens."""

_COPIES = "A message that is in several mailboxes counts in each."
_TIMES = ("since", "before", "last_days")


async def reply_with_groups(
    search: Search, group_by: GroupBy, sent: SearchMessagesArguments, call: Call
) -> Outcome[LeanSearchMessagesData]:
    """Reply with groups of the matches; two round trips, and one for each further 2,000 messages."""
    if group_by.is_time and "limit" not in sent.model_fields_set:
        search = replace(search, page_size=GROUP_TIMES_DEFAULT)
    searches, grouped = await group_matches(call, search, group_by)
    search = searches.as_made(search)
    await explain_failures(call, search, searches)
    zone = call.preferences.zone
    notes, counts = tuple(_notes(grouped)), NO_COUNTS
    coverage = Coverage(search=search, searches=searches, notes=notes)
    if not grouped.total:
        counts = await look_around(call, coverage)
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
        warnings=(
            *search_warnings(search, sent, coverage.seen, empty=not grouped.total, today=call.today),
            *excluded_in_vain(search, searches),
            *filter(None, [counts.sentence]),
        ),
        page=Page(page_size=search.page_size, total_count=grouped.group_count),
        next_action=_next_action(coverage, grouped, counts, group_by, zone),
    )


def _summary(coverage: Coverage, grouped: Grouped, group_by: GroupBy, zone: tzinfo) -> str:
    if not grouped.total:
        return coverage.summarize_nothing_found()
    shown = sum(bool(row.key) for row in grouped.rows)
    plural = "mailboxes" if group_by is GroupBy.MAILBOX else ""
    groups = counted(grouped.group_count, group_by.value, plural)
    if shown < grouped.group_count:
        groups = f"{shown} of {groups}"
    messages = counted(grouped.counted, "message")
    if grouped.left:
        at_most = "" if grouped.total_exact else "at most "
        messages = f"{grouped.counted} of {at_most}{counted(grouped.total, 'message')}"
    elif not grouped.total_exact:
        messages = f"at most {messages}"
    return coverage.summarize(f"{groups} in {messages} in {coverage.where}", zone, verb="counted")


def _notes(grouped: Grouped) -> Iterator[str]:
    """Write a sentence about what was not counted."""
    if grouped.left:
        how_many = f"Counted {grouped.counted} of {grouped.total} possible matches"
        yield f"{how_many}, those added last to each mailbox; since and before choose others."


def _lost_issues(searches: Searches) -> Iterator[Issue]:
    """Build an issue for each mailbox of which some messages could not be fetched."""
    for each in searches.searched:
        found = each.found
        if not isinstance(found, MailboxPage):
            continue
        failure = next(iter(found.fetched.failures.values()), None)
        if failure is None:
            continue
        # Where the connection was lost, the messages that didn't come are among those that are left.
        missing = found.left if found.fetched.interrupted else len(found.fetched.failures)
        yield Issue(
            code=failure.code,
            reason=failure.reason,
            stage=failure.stage,
            message=f"{counted(missing, 'message')} not counted. {failure.message}",
            retryable=failure.retryable,
            about={"mailbox": found.mailbox, "account_id": each.source.account_id},
        )


def _next_action(
    coverage: Coverage, grouped: Grouped, counts: Counts, group_by: GroupBy, zone: tzinfo
) -> NextAction | None:
    search = coverage.search
    if not grouped.total:
        return suggest_search(coverage, counts)
    if not grouped.rows or not grouped.rows[0].key:
        return None
    if grouped.argument and not can_be_sent(grouped.argument, grouped.rows[0].key):
        return None
    without, criteria = _first_group(search, grouped, group_by, zone)
    if any(len(str(value)) > limits.ARGUMENT_CHARS_MAX for value in criteria.values()):
        return None
    without = [*without, "group_by", "sort", "limit"]
    return repeat_search(search, "Show the messages of the first group.", without=without, **criteria)


def _first_group(
    search: Search, grouped: Grouped, group_by: GroupBy, zone: tzinfo
) -> tuple[Sequence[str], Mapping[str, object]]:
    """Return what finds the messages of the first group: arguments to leave out, and others to send."""
    first = grouped.rows[0]
    if group_by.is_time:
        return _TIMES, _period(first.key, search, zone)
    if group_by is GroupBy.MAILBOX:
        ref = parse_ref(first.message_id or "")
        assert ref is not None  # noqa: S101 - the group has messages
        where = ("mailbox", "mailboxes", "exclude_mailboxes")
        return where, {"account_id": ref.account_id, "mailbox": ref.mailbox}
    return (), {grouped.argument: as_sent(grouped.argument, first.key)}


def _period(key: str, search: Search, zone: tzinfo) -> dict[str, object]:
    """Return the arguments for a time, or for the part of it that was searched."""
    first, following = period_days(key)
    start = datetime.combine(first, time(), zone)
    end = datetime.combine(following, time(), zone)
    since = search.query.since or search.query.written_since
    before = search.query.before or search.query.written_before
    arguments: dict[str, object] = {"since": first.isoformat(), "before": following.isoformat()}
    if since is not None and since > start:
        arguments["since"] = format_rfc3339(since)
    if before is not None and before < end:
        arguments["before"] = format_rfc3339(before)
    return arguments


_LACKING = {
    GroupBy.SENDER: "without a sender",
    GroupBy.DOMAIN: "without a sender",
    GroupBy.LIST: "not from a list",
}
"""What a line calls messages without a key. In groups by time, nothing says when they arrived."""


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
