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
from mailmcp.imap.search.verify import is_match
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.query import Proof
from mailmcp.reasons import Reason
from mailmcp.tools.change.arguments import within_search
from mailmcp.tools.errors import (
    all_failed_error,
    list_mailboxes_of,
    mailbox_issue,
    message_issue,
    search_again,
)
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.failures import explain_failures, source_issues
from mailmcp.tools.search.page import ref_of
from mailmcp.tools.search.sources import search_sources
from mailmcp.tools.search.state import Search, repeat_search
from mailmcp.tools.tool import Call
from mailmcp.tools.writes.run import find_ceiling
from mailmcp.wording import counted
from mcp_envelope import (
    BaseReason,
    ConflictError,
    DeadlineError,
    InvalidInputError,
    Issue,
    NextAction,
    ToolError,
)

_ROW: Final = ("UID", "FLAGS", "INTERNALDATE", "BODY.PEEK[HEADER.FIELDS (DATE FROM TO SUBJECT MESSAGE-ID)]")


@dataclass(slots=True, kw_only=True)
class Selection:
    """The messages to change, all of one account."""

    account: Account
    mailboxes: tuple[Mailbox, ...]
    """All that the account has."""

    messages: dict[MessageRef, FetchedMessage] = field(default_factory=dict)
    is_gmail: bool = False
    """Whether mailboxes are labels."""

    labels: dict[MessageRef, tuple[str, ...]] = field(default_factory=dict)
    """What the messages have there, besides that of their mailbox."""

    failures: dict[MessageRef, FetchFailure | ToolError] = field(default_factory=dict)
    """Messages that are gone, or couldn't be looked at: they are left alone."""

    issues: list[Issue] = field(default_factory=list)
    """Mailboxes that couldn't be searched, or not all of them."""

    doubts: tuple[str, ...] = ()
    """Sentences: what the search may have missed, and how it searched."""

    nothing: str = ""
    """The summary, if a search found nothing."""

    search: NextAction | None = None
    """The search, to look at what it finds; None for ids."""

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
            message, next_action = f"item {number} {problem.message}", error.next_action
            raise InvalidInputError.of(
                "message_ids", problem.reason, message, next_action=next_action
            ) from None
        refs[replace(ref, mailbox=canonical_name(ref.mailbox))] = None
    if len({account_id or next(iter(refs)).account_id, *(each.account_id for each in refs)}) > 1:
        message = "are of several accounts. Send a call for each."
        raise InvalidInputError.of("message_ids", BaseReason.OUT_OF_RANGE, message)
    return tuple(refs)


async def select_by_ids(call: Call, account: Account, refs: Sequence[MessageRef]) -> Selection:
    """Look at messages; two round trips.

    Raises:
        ConflictError: A mailbox was rebuilt, so that its ids are of other messages.
        ToolError: None is there.
    """
    call.mailbox = ", ".join(dict.fromkeys(each.mailbox for each in refs))
    selection = Selection(account=account, mailboxes=await call.ask(list_mailboxes))
    fetched = await fetch_parts(call, refs, lambda session, _ref: [*_ROW, *id_items(session)])
    for ref, failure in fetched.failures.items():
        if isinstance(failure, ConflictError):
            raise failure.replace(next_action=search_again(ref))
    selection.failures |= fetched.failures
    selection.messages = {each: fetched.messages[each] for each in refs if each in fetched.messages}
    reasons = {each.reason for each in fetched.failures.values()}
    missing = reasons == {Reason.MAILBOX_MISSING}
    look = list_mailboxes_of(account.account_id) if missing else search_again(refs[0])
    return await _complete(call, selection, look)


async def select_by_search(call: Call, account: Account, search: Search) -> Selection:
    """Find all messages that match; round trips as for a search, and one before.

    All rows are one page, so that the search verifies them, and doubts the server, as any other does.

    Raises:
        InvalidInputError: More match than a call may change.
        ToolError: Nothing could be searched.
    """
    call.mailbox = ", ".join(search.arguments.names)
    listed = await call.ask(list_mailboxes)
    key, limit = find_ceiling(account)
    search = replace(search, page_size=limit + 1)
    searches = await search_sources(call, search, listings={account.account_id: listed})
    try:
        await explain_failures(call, searches)
    except InvalidInputError as error:
        raise within_search(error) from None
    pages = searches.pages.values()
    found = sum(len(page.matches) for page in pages)
    if found > limit:
        at_most = "" if all(page.total_exact for page in pages) else "at most "
        raise InvalidInputError.of(
            "search",
            Reason.TOO_MANY,
            f"matches {at_most}{sum(page.total for page in pages)} messages; one call may change {limit} in "
            f"account {account.account_id}. Nothing was done. Narrow it, for example by since and before, "
            f"and send a call for each part, or ask the user to raise {key} in the settings.",
        )
    coverage = Coverage(searches=searches)
    look = repeat_search(searches.search, "Look at what it finds.")
    left = []
    for page in (each for each in pages if each.left):
        message = f"Up to {counted(page.left, 'more message')} may match: there was no time to look at all."
        late = DeadlineError(message, reason=BaseReason.DEADLINE, retryable=True)
        left.append(mailbox_issue(account.account_id, page.mailbox, late))
    selection = Selection(
        account=account,
        mailboxes=listed,
        issues=[*source_issues(searches), *left],
        doubts=coverage.lines(empty=False),
        nothing="" if found else coverage.summarize_nothing_found(),
        search=look,
    )
    if left or not coverage.all_seen:
        selection.doubts = ("Not everything could be searched.", *selection.doubts)
    for page in pages:
        fetched = page.fetched
        selection.messages |= {ref_of(page, uid): row for uid, row in fetched.messages.items()}
        selection.failures |= {ref_of(page, uid): failure for uid, failure in fetched.failures.items()}
    query = search.query.only(row for row in search.query.criteria if row.proof is Proof.HEADER)
    if odd := sum(not is_match(query, row) for row in selection.messages.values()):
        odd_ones = f"In the header fields of {counted(odd, 'message')}, what was searched for isn't seen."
        selection.doubts += (f"{odd_ones} The server says that it matches.",)
    return await _complete(call, selection, look)


async def _complete(call: Call, selection: Selection, next_action: NextAction) -> Selection:
    """Return a selection of at least one message, or of nothing that matched; raise if all failed.

    On Gmail it is with the labels, and each message once: in INBOX, else in All Mail, else under a label. One
    round trip.
    """
    if selection.failures and not selection.messages:
        issues = [message_issue(ref, failure) for ref, failure in selection.failures.items()]
        raise all_failed_error(issues, next_action)
    if not any(each.gmail_id for each in selection.messages.values()):
        return selection
    selection.is_gmail = True
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
