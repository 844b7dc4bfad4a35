"""Which messages to change: those of some ids, or all that a search finds, and what is known of them.

A message that can't be looked at now isn't changed: it is an issue, like a mailbox that couldn't be searched.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mailmcp.imap.account import Account
from mailmcp.imap.command import canonical_name
from mailmcp.imap.fetch import FetchFailure, id_items
from mailmcp.imap.mailboxes import Mailbox, decode_mailbox, list_mailboxes
from mailmcp.imap.rows import FetchedMessage
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.change.arguments import within_search
from mailmcp.tools.errors import all_failed_error, message_issue, search_again
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.failures import explain_failures, source_issues
from mailmcp.tools.search.sources import search_sources
from mailmcp.tools.search.state import Search, repeat_search
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, ConflictError, InvalidInputError, Issue, NextAction, ToolError

_ROW: Final = ("UID", "FLAGS", "INTERNALDATE", "BODY.PEEK[HEADER.FIELDS (DATE FROM TO SUBJECT MESSAGE-ID)]")


@dataclass(slots=True, kw_only=True)
class Selection:
    """The messages to change, all of one account."""

    account: Account
    mailboxes: tuple[Mailbox, ...]
    """All that the account has."""

    messages: dict[MessageRef, FetchedMessage] = field(default_factory=dict)
    labels: dict[MessageRef, tuple[str, ...]] = field(default_factory=dict)
    """On Gmail, what the messages have besides that of their mailbox."""

    failures: dict[MessageRef, FetchFailure | ToolError] = field(default_factory=dict)
    """Messages that are gone, or couldn't be looked at: they are left alone."""

    issues: list[Issue] = field(default_factory=list)
    """Mailboxes that couldn't be searched."""

    doubts: tuple[str, ...] = ()
    """Sentences: what the search may have missed, and how it searched."""

    nothing: str = ""
    """The summary, if a search found nothing."""

    search: NextAction | None = None
    """The search, to look at what it finds; None for ids."""

    @property
    def is_gmail(self) -> bool:
        """Whether mailboxes are labels."""
        return any(each.gmail_id for each in self.messages.values())

    def use_of(self, mailbox: str) -> str:
        """Return the special use of a mailbox; "" for an ordinary one."""
        return next((each.special_use for each in self.mailboxes if each.name == mailbox), "")


def read_ids(sent: Sequence[str], account_id: str) -> tuple[MessageRef, ...]:
    """Read ids of messages, each once; of one account, which must be `account_id` unless that is "".

    Raises:
        InvalidInputError: Some are no ids, or of several accounts.
    """
    refs: dict[MessageRef, None] = {}
    for number, text in enumerate(sent, 1):
        try:
            ref = parse_message_id(text)
        except InvalidInputError as error:
            [problem] = error.problems
            message = f"item {number} {problem.message}"
            raise InvalidInputError.of(
                "message_ids", problem.reason, message, next_action=error.next_action
            ) from None
        refs[replace(ref, mailbox=canonical_name(ref.mailbox))] = None
    others = {each.account_id for each in refs} - {account_id or next(iter(refs)).account_id}
    if others:
        message = (
            f"are of several accounts; {', '.join(sorted(others))} is another one. Send a call for each."
        )
        raise InvalidInputError.of("message_ids", BaseReason.OUT_OF_RANGE, message)
    return tuple(refs)


async def select_by_ids(call: Call, account: Account, refs: Sequence[MessageRef]) -> Selection:
    """Look at messages; two round trips.

    Raises:
        InvalidInputError: There are more than a call may change.
        ConflictError: A mailbox was rebuilt, so that its ids are of other messages.
        ToolError: None is there.
    """
    call.mailbox = ", ".join(dict.fromkeys(each.mailbox for each in refs))
    if len(refs) > account.writes_per_call:
        raise _too_many(account, "message_ids", f"are {len(refs)} messages", "Send fewer.")
    selection = Selection(account=account, mailboxes=await call.ask(list_mailboxes))
    fetched = await fetch_parts(call, refs, lambda session, _ref: [*_ROW, *id_items(session)])
    for ref, failure in fetched.failures.items():
        if isinstance(failure, ConflictError):
            raise failure.replace(next_action=search_again(ref))
    selection.failures |= fetched.failures
    selection.messages = {each: fetched.messages[each] for each in refs if each in fetched.messages}
    if not selection.messages:
        issues = [message_issue(ref, failure) for ref, failure in fetched.failures.items()]
        raise all_failed_error(issues, search_again(refs[0]))
    return await _as_on_gmail(call, selection) if selection.is_gmail else selection


async def select_by_search(call: Call, account: Account, search: Search) -> Selection:
    """Find all messages that match; round trips as for a search, and one before.

    All rows are one page, so that the search verifies them, and doubts the server, as any other does.

    Raises:
        InvalidInputError: More match than a call may change.
        ToolError: Nothing could be searched.
    """
    call.mailbox = ", ".join(search.arguments.names)
    listed = await call.ask(list_mailboxes)
    search = replace(search, page_size=account.writes_per_call + 1)
    searches = await search_sources(call, search, listings={account.account_id: listed})
    try:
        await explain_failures(call, searches)
    except InvalidInputError as error:
        raise within_search(error) from None
    pages = searches.pages.values()
    found = sum(len(page.matches) for page in pages)
    if found > account.writes_per_call:
        at_most = "" if all(page.total_exact for page in pages) else "at most "
        matches = f"matches {at_most}{sum(page.total for page in pages)} messages"
        raise _too_many(account, "search", matches, "Narrow it, for example by since and before or from.")
    coverage = Coverage(searches=searches)
    selection = Selection(
        account=account,
        mailboxes=listed,
        issues=[*source_issues(searches)],
        doubts=coverage.lines(empty=False),
        nothing="" if found else coverage.summarize_nothing_found(),
        search=repeat_search(searches.search, "Look at what it finds."),
    )
    for page in pages:
        for match in page.matches:
            ref = MessageRef(
                account_id=account.account_id,
                mailbox=page.mailbox,
                uidvalidity=page.uidvalidity,
                uid=match.uid,
            )
            if match.uid in page.fetched.messages:
                selection.messages[ref] = page.fetched.messages[match.uid]
            else:
                selection.failures[ref] = page.fetched.failures[match.uid]
    return await _as_on_gmail(call, selection) if selection.is_gmail else selection


async def _as_on_gmail(call: Call, selection: Selection) -> Selection:
    """Add the labels, and keep each message once: in INBOX, else in All Mail, else under a label.

    One round trip.
    """
    fetched = await fetch_parts(call, [*selection.messages], lambda *_: ("UID", "X-GM-LABELS"))
    selection.failures |= fetched.failures
    order = {"INBOX": 0} | {each.name: 1 for each in selection.mailboxes if each.special_use == "\\All"}
    once: dict[int, tuple[MessageRef, FetchedMessage]] = {}
    for ref in sorted(fetched.messages, key=lambda each: order.get(each.mailbox, 2)):
        row = selection.messages[ref]
        once.setdefault(row.gmail_id, (ref, row))
        selection.labels[ref] = tuple(map(decode_mailbox, fetched.messages[ref].labels))
    selection.messages = dict(once.values())
    return selection


def _too_many(account: Account, argument: str, found: str, advice: str) -> InvalidInputError:
    message = (
        f"{found}; one call may change {account.writes_per_call} in account {account.account_id}. "
        f"Nothing was done. {advice}"
    )
    return InvalidInputError.of(argument, Reason.TOO_MANY, message)
