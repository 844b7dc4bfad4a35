"""The plan of a change, which somebody confirms, perhaps without having seen the mail.

Whatever others wrote is quoted.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from itertools import islice
from typing import Final

from mailmcp.imap.mailboxes import find_special
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.server import count_matches
from mailmcp.imap.session import Session
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import parse_headers
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.query import SearchQuery
from mailmcp.tools.change.arguments import ChangeAction
from mailmcp.tools.change.change import Change
from mailmcp.tools.columns import people_column, time_column
from mailmcp.tools.rows import build_row
from mailmcp.tools.search.failures import suggest_mailboxes
from mailmcp.tools.tool import Call
from mailmcp.tools.writes.run import UNCONFIRMED_MAX
from mailmcp.wording import counted
from mcp_envelope import ToolError, code
from mcp_envelope.markdown import quote
from mcp_envelope.values import issue_sentence

_SAMPLE: Final = 5
_PLACES: Final = 5
_SENDERS: Final = 20
_ADDRESS: Final = re.compile(r"[!-~]+@[!-~]+")
"""What can be searched for."""

_VERBS: Final[Mapping[ChangeAction, str]] = {
    ChangeAction.MARK_READ: "Mark {} as read",
    ChangeAction.MARK_UNREAD: "Mark {} as unread",
    ChangeAction.FLAG: "Flag {}",
    ChangeAction.UNFLAG: "Unflag {}",
    ChangeAction.ADD_KEYWORDS: "Add {keywords} to {}",
    ChangeAction.REMOVE_KEYWORDS: "Remove {keywords} from {}",
    ChangeAction.COPY: "Copy {} to {target}",
    ChangeAction.DELETE_FOREVER: "Delete {} for good",
}
_MOVE: Final = "Move {} to {target}"
_PAST: Final = {"Flag": "Flagged", "Unflag": "Unflagged", "Copy": "Copied"}


def format_verb(change: Change, what: str, *, past: bool = False) -> str:
    """Write what is done to `what`, or was."""
    first, _, rest = _VERBS.get(change.action, _MOVE).partition(" ")
    if past:
        first = _PAST.get(first, f"{first.removesuffix('e')}ed")
    keywords, target = ", ".join(map(code, change.keywords)), code(change.target)
    return f"{first} {rest.format(what, keywords=keywords, target=target)}"


def format_places(change: Change, places: Mapping[str, int]) -> str:
    """Write `from` or `in` and mailboxes, with the numbers of messages if there are several."""
    shown = [f"{code(name)} ({count})" if len(places) > 1 else code(name) for name, count in places.items()]
    others = len(shown) - _PLACES
    listed = ", ".join(shown[:_PLACES]) + (f" and {others} more mailboxes" if others > 0 else "")
    return f"{'from' if change.target or change.is_final else 'in'} {listed}"


def needs_plan(change: Change) -> bool:
    """Return whether a change must be confirmed: it is large, final, or of messages that nobody chose.

    Or it makes a mailbox, whose name may be misspelt.
    """
    names_new = change.creates and change.action in {ChangeAction.MOVE, ChangeAction.COPY}
    selection = change.selection
    is_searched, is_large = selection.search is not None, len(selection.messages) > UNCONFIRMED_MAX
    return is_searched or is_large or change.is_final or names_new


async def write_plan(change: Change, call: Call) -> str:
    """Write the plan: what, how many, from where and whereto, what is odd about them, a sample.

    One round trip, to find out to whom of the senders the owner has written.
    """
    selection, zone = change.selection, call.preferences.zone
    messages = {ref: row for ref, row in selection.messages.items() if ref not in {*change.already}}
    newest = sorted(messages, key=lambda each: messages[each].internaldate_epoch or 0, reverse=True)
    places = format_places(change, Counter(each.mailbox for each in newest))
    what = f"{counted(len(newest), 'message')} {places} of account {selection.account.account_id}"
    sample = [_sample_row(each, messages[each], zone) for each in newest[:_SAMPLE]]
    more = f"; and {len(newest) - _SAMPLE} more" if len(newest) > _SAMPLE else ""
    left = [(len(change.already), "more are as asked already"), (len(selection.failures), "can't be read")]
    lines = [
        f"{format_verb(change, what)}.",
        *_about_target(change),
        *_about_flags(messages.values()),
        await _about_senders(change, [messages[each] for each in newest], call),
        f"{'The newest' if more else 'These'}: {'; '.join(sample)}{more}.",
        *(f"{count} {words}, and stay as they are." for count, words in left if count),
        *selection.doubts,
        *(issue_sentence(each) for each in selection.issues[:_PLACES]),
        "This can't be undone." if change.is_final else "It can be undone by imap_undo.",
    ]
    return "\n".join(lines)


def _about_target(change: Change) -> Iterator[str]:
    if change.creates:
        yield f"There is no mailbox {code(change.target)}: it would be made."
        if similar := suggest_mailboxes(change.target, change.selection.mailboxes):
            yield f"Did you mean {' or '.join(map(code, similar))}?"


def _about_flags(rows: Collection[FetchedMessage]) -> Iterator[str]:
    unread = sum(not each.has_flag("\\Seen") for each in rows)
    flagged = sum(each.has_flag("\\Flagged") for each in rows)
    yield from (f"{word}: {count}." for word, count in (("Unread", unread), ("Flagged", flagged)) if count)


def _sample_row(ref: MessageRef, fetched: FetchedMessage, zone: tzinfo) -> str:
    row = build_row(ref, fetched)
    who = people_column(row.from_) or "no sender"
    return f"{time_column(row.date, zone, arrived=row.arrived)} {who}: {quote(row.subject) or 'no subject'}"


async def _about_senders(change: Change, rows: Iterable[FetchedMessage], call: Call) -> str:
    """Say to which of the first senders the owner has written, by what is in Sent."""
    account_id = change.selection.account.account_id
    own = {each.lower() for each in call.preferences.owner_of(account_id).addresses}
    senders: dict[str, None] = {}
    for row in rows:
        headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
        senders |= dict.fromkeys(sorted(addresses_in(headers, "From") - own))
    addresses = [*islice(filter(_ADDRESS.fullmatch, senders), _SENDERS)]
    sent = find_special(change.selection.mailboxes, "\\Sent")

    def count(session: Session) -> Sequence[int] | ToolError | None:
        if not session.can("ESEARCH"):
            return None
        [counts] = count_matches(session, {sent: [SearchQuery(to=each) for each in addresses]})
        return counts

    counts = await call.ask(count, account_id=account_id) if sent and addresses else None
    if counts is None or isinstance(counts, ToolError):
        return "Whether the owner has written to their senders isn't known."
    known = [quote(each) for each, number in zip(addresses, counts, strict=True) if number]
    which = f"{len(addresses)} of their {len(senders)}" if len(senders) > len(addresses) else "their"
    return f"Of {which} senders, the owner has written to {', '.join(known) or 'none'}."
