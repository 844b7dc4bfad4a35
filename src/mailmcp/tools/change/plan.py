"""What a change says of itself: the plan that somebody confirms before it, and the verb of both.

A plan is read by a person who decides, perhaps without having seen the mail. Whatever others wrote is quoted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from functools import partial
from itertools import islice
from typing import Final

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.server import count_matches
from mailmcp.mail.header.address import parse_addresses
from mailmcp.mail.header.fields import parse_headers
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.query import SearchQuery
from mailmcp.tools.change.arguments import ChangeAction
from mailmcp.tools.change.change import Change
from mailmcp.tools.columns import people_column, time_column
from mailmcp.tools.rows import build_row
from mailmcp.tools.search.failures import suggest_mailboxes
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import ToolError, code
from mcp_envelope.markdown import quote
from mcp_envelope.values import issue_sentence

AT_ONCE_MAX: Final = 10
"""Messages that are changed without a plan, if somebody chose each and it can be undone: a page of a search."""

_SAMPLE: Final = 5
_PLACES: Final = 5
"""Mailboxes and issues that a plan names."""

_SENDERS: Final = 20
"""Senders that are looked for in Sent: one round trip."""

_VERBS: Final[Mapping[ChangeAction, tuple[str, str]]] = {
    ChangeAction.MARK_READ: ("Mark {what} as read", "Marked {what} as read"),
    ChangeAction.MARK_UNREAD: ("Mark {what} as unread", "Marked {what} as unread"),
    ChangeAction.FLAG: ("Flag {what}", "Flagged {what}"),
    ChangeAction.UNFLAG: ("Unflag {what}", "Unflagged {what}"),
    ChangeAction.ADD_KEYWORDS: ("Add {keywords} to {what}", "Added {keywords} to {what}"),
    ChangeAction.REMOVE_KEYWORDS: ("Remove {keywords} from {what}", "Removed {keywords} from {what}"),
    ChangeAction.COPY: ("Copy {what} to {target}", "Copied {what} to {target}"),
    ChangeAction.DELETE_FOREVER: ("Delete {what} for good", "Deleted {what} for good"),
}
_MOVE: Final = ("Move {what} to {target}", "Moved {what} to {target}")


def needs_plan(change: Change, *, by_search: bool) -> bool:
    """Return whether somebody must confirm a change: it is large, can't be undone, or nobody saw the messages.

    Also if it makes a mailbox of a name that may be a typo.
    """
    named = change.creates and change.action in {ChangeAction.MOVE, ChangeAction.COPY}
    return by_search or change.is_final or named or len(change.selection.messages) > AT_ONCE_MAX


def say(change: Change, what: str, *, past: bool = False) -> str:
    """Write what is done, or was, to `what`."""
    keywords = ", ".join(map(code, change.keywords))
    verb = _VERBS.get(change.action, _MOVE)[past]
    return verb.format(what=what, keywords=keywords, target=code(change.target) if change.target else "")


def where_from(change: Change, places: Mapping[str, int]) -> str:
    """Write `from` or `in` some mailboxes, with the number of messages of each if there are several."""
    shown = [f"{code(name)} ({count})" if len(places) > 1 else code(name) for name, count in places.items()]
    more = len(shown) - _PLACES
    listed = shown[:_PLACES] + ([f"{more} more mailboxes"] if more > 0 else [])
    preposition = "from" if change.target or change.is_final else "in"
    return f"{preposition} {' and '.join(listed) if len(listed) < 3 else ', '.join(listed)}"


async def write_plan(change: Change, call: Call) -> str:
    """Write the plan: what, how many, from where and whereto, what is odd about it, a sample.

    One round trip, to find out to whom of the senders the account's owner has written.
    """
    selection = change.selection
    todo = {ref: row for ref, row in selection.messages.items() if ref not in set(change.already)}
    places = Counter(each.mailbox for each in todo)
    what = f"{counted(len(todo), 'message')} of account {selection.account.account_id} {where_from(change, places)}"
    lines = [f"{say(change, what)}.", *_about_target(change)]
    if change.already:
        lines.append(f"For {counted(len(change.already), 'more message')} there is nothing to do.")
    lines += _about_flags([*todo.values()])
    if known := await _find_known(change, todo, call):
        lines.append(f"The account's owner has written to senders of these: {', '.join(known)}.")
    latest = [_sample_row(ref, row, call.preferences.zone) for ref, row in islice(todo.items(), _SAMPLE)]
    more = f"; and {len(todo) - len(latest)} more" if len(todo) > len(latest) else ""
    lines.append(f"{'The first' if more else 'These'}: {'; '.join(latest)}{more}.")
    if selection.failures:
        lines.append(f"{counted(len(selection.failures), 'message')} can't be looked at, and would be left alone.")
    if selection.issues:
        lines.append("Not everything could be searched:")
        lines += [issue_sentence(each) for each in selection.issues[:_PLACES]]
    lines += selection.doubts
    lines.append("This can't be undone." if change.is_final else "It can be undone by imap_undo.")
    return "\n".join(lines)


def _about_target(change: Change) -> Iterator[str]:
    if not change.creates:
        return
    yield f"There is no mailbox {code(change.target)}: it would be made."
    if similar := suggest_mailboxes(change.target, change.selection.mailboxes):
        yield f"There is {' and '.join(map(code, similar))}."


def _about_flags(rows: list[FetchedMessage]) -> Iterator[str]:
    unread = sum(not each.has_flag("\\Seen") for each in rows)
    flagged = sum(each.has_flag("\\Flagged") for each in rows)
    parts = [f"{count} {word}" for count, word in ((unread, "unread"), (flagged, "flagged")) if count]
    if parts:
        yield f"Of these, {' and '.join(parts)}."


def _sample_row(ref: MessageRef, fetched: FetchedMessage, zone: tzinfo) -> str:
    row = build_row(ref, fetched)
    who = people_column(row.from_) or "no sender"
    return f"{time_column(row.date, zone, arrived=row.arrived)} {who}: {quote(row.subject) or 'no subject'}"


async def _find_known(change: Change, todo: Mapping[MessageRef, FetchedMessage], call: Call) -> list[str]:
    """Return those of the first senders to whom mail in Sent is addressed, quoted; none if that isn't known."""
    selection, account_id = change.selection, change.selection.account.account_id
    own = {each.lower() for each in call.preferences.owner_of(account_id).addresses}
    senders: dict[str, str] = {}
    for row in todo.values():
        headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
        for each in parse_addresses(*headers.raw_all("From"))[:1]:
            if each.address.isascii() and "@" in each.address and each.address.lower() not in own:
                senders.setdefault(each.address.lower(), each.address)
    sent = next((each.name for each in selection.mailboxes if each.special_use == "\\Sent"), "")
    addresses = [*islice(senders.values(), _SENDERS)]
    if not (sent and addresses):
        return []
    queries = {sent: [SearchQuery(to=each) for each in addresses]}
    try:
        [counts] = await call.ask(partial(count_matches, queries=queries), account_id=account_id)
    except ToolError:  # whatever needs the connection says so; the plan holds without this
        return []
    if isinstance(counts, ToolError):
        return []
    return [quote(each) for each, count in zip(addresses, counts, strict=True) if count]
