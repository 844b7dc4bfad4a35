"""Searches that can be trusted: some mailboxes, a page of matches of each, and what could not be seen.

Blocking; runs on a session in a pool's thread. Whoever merges mailboxes asks for one page of
each in an order by arrival, takes the best, and goes on in each mailbox after what it took.

The server is asked for candidates (`candidates`, `searching`); criteria that it has no key for,
or is known to get wrong (`probes`), are verified on the messages (`verify`), within a budget.
"""

from collections.abc import Callable, Sequence

from mailmcp.imap.pipeline import CurrentMailbox, MailboxTask, run_pipelined
from mailmcp.imap.search.features import needs_probes
from mailmcp.imap.search.page import find_matches
from mailmcp.imap.search.result import MailboxPage, PageRequest
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.probes import probe_once
from mcp_envelope import ToolError


def search_mailboxes(
    session: Session,
    requests: Sequence[PageRequest],
    *,
    keep: Callable[[list[MailboxPage | ToolError]], None] = lambda _found: None,
) -> list[MailboxPage | ToolError]:
    """Search mailboxes and fetch a page of each; a mailbox that fails stands as its error in its place.

    Where the connection fails, `keep` gets what had come: pages of which some messages are failures, and
    that error in place of pages of which nothing came.

    Two round trips on a warm session for up to `limits.BURST_MAILBOXES` mailboxes; one where the
    candidates are known. More for the first search of an account (`probes`), where criteria have to
    be verified on many messages, and where a server knows neither ESEARCH nor LITERAL+.

    Errors in a request's place: NotFoundError (`mailbox_missing`), ConflictError (the mailbox's
    UIDVALIDITY is not `PageRequest.uidvalidity`), InvalidInputError (`charset_refused`, or a
    criterion that this server does not know), InternalError (the server refused, or made no sense).

    Raises:
        DeadlineError, InternalError: The connection failed, which ends all of them.
    """
    for request in requests:
        if request.known is None and needs_probes(request.query):
            probe_once(session, request.mailbox)
            break
    tasks = []
    for request in requests:
        place = CurrentMailbox()
        steps = find_matches(session, request, place, len(requests))
        tasks.append(
            MailboxTask(mailbox=request.mailbox, uidvalidity=request.uidvalidity, steps=steps, place=place)
        )
    try:
        return run_pipelined(session, tasks)
    except ToolError as error:
        keep([each if _has_come(each) else error for each in (task.outcome for task in tasks)])
        raise


def _has_come(found: MailboxPage | ToolError) -> bool:
    return isinstance(found, ToolError) or bool(found.fetched.messages) or not found.uids
