"""What a search could not have: accounts, mailboxes and messages, each an issue of the reply."""

from collections.abc import Iterator, Sequence

from mailmcp.imap.search.page import MailboxPage
from mailmcp.reasons import Reason
from mailmcp.tools.errors import list_mailboxes_of, mailbox_issue, message_issue
from mailmcp.tools.names import SEARCH_MESSAGES
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.search.sources import Searched, Searches
from mailmcp.tools.search.state import Search, arguments_of
from mcp_envelope import ConflictError, Issue, NextAction, ToolError


def source_issues(searches: Searches) -> Iterator[Issue]:
    """Tell of each mailbox that failed; of an account once, if all of it failed in one way."""
    by_account: dict[str, list[Searched]] = {}
    for each in searches.searched:
        by_account.setdefault(each.source.account_id, []).append(each)
    for account_id, searched in by_account.items():
        errors = [each.found for each in searched if isinstance(each.found, ToolError)]
        alike = len({(error.code, error.reason) for error in errors}) == 1
        if len(errors) == len(searched) and alike and (len(errors) > 1 or _is_whole(searched)):
            yield mailbox_issue(account_id, None, errors[0])
            continue
        for each in searched:
            if isinstance(each.found, ToolError):
                yield mailbox_issue(account_id, each.source.mailbox, each.found)


def _is_whole(searched: Sequence[Searched]) -> bool:
    return searched[0].source.mailbox == EVERYTHING


def message_issues(found: Sequence[PageMessage]) -> Iterator[Issue]:
    """Tell of each message of a page that could not be had."""
    for each in found:
        failure = each.searched.fetched.failures.get(each.ref.uid)
        if failure is not None:
            yield message_issue(each.ref, failure)


def nothing_searched(search: Search, searches: Searches, meant: NextAction | None) -> ToolError:
    """Give the error of the first mailbox, with all of them in its details if there were several.

    `meant` is the search in mailboxes that are there.
    """
    failed = [
        (each.source, each.found) for each in searches.searched if not isinstance(each.found, MailboxPage)
    ]
    source, error = failed[0]
    next_action = meant
    if next_action is None and error.reason is Reason.MAILBOX_MISSING:
        next_action = list_mailboxes_of(source.account_id)
    if next_action is None and isinstance(error, ConflictError):
        next_action = NextAction(
            instruction="Search again.", tool=SEARCH_MESSAGES, arguments=arguments_of(search)
        )
    if len(failed) == 1:
        return error.replace(next_action=next_action)
    issues = [
        {"account_id": source.account_id, "mailbox": source.mailbox, "message": each.message}
        for source, each in failed
    ]
    return error.replace(next_action=next_action, details={**error.details, "issues": issues})
