"""Search mailboxes, and make a page of the matches of each; the loop that fills it is in `mailbox_page`.

Blocking; runs on a session in a pool's thread. A caller that merges mailboxes asks for a page of each, takes
the best, and continues in each mailbox after what it took.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from mailmcp.imap.command import canonical_name
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.search.doubt import doubt_silence
from mailmcp.imap.search.mailbox_page import Attempt
from mailmcp.imap.search.order import RankBy
from mailmcp.imap.search.values import MailboxPage, PageRequest
from mailmcp.imap.search.windows import is_large, sorted_way
from mailmcp.imap.session import Session
from mailmcp.model.cursor import Way
from mcp_envelope import BaseReason, InvalidInputError, ToolError

OnLost = Callable[[list[MailboxPage | ToolError]], None]


def search_mailboxes(
    session: Session, requests: Sequence[PageRequest], *, on_lost: OnLost = lambda _found: None
) -> list[MailboxPage | ToolError]:
    """Search mailboxes and fetch a page of each.

    Two round trips on a warm session for up to `limits.BURST_MAILBOXES` mailboxes, one where the
    candidates are known. More where criteria must be verified on many messages, where UIDs don't follow the
    order, where a server supports neither ESEARCH nor LITERAL+, and where a server is doubted (`doubt`).

    Args:
        session: The session.
        requests: What to search for, the same in all mailboxes, and where.
        on_lost: Called if the connection fails, with what came before: a page, in which messages that
            didn't come are failures, or the error for a mailbox of which nothing came. The caller
            decides what of it to show.

    Returns:
        For each request its page, or its error: NotFoundError (`mailbox_missing`), ConflictError
        (the UIDVALIDITY isn't that of the request), InvalidInputError (a criterion or an order that this
        server doesn't support), InternalError (the server refused, or its response makes no sense).

    Raises:
        DeadlineError, InternalError: The connection failed, which ends all of them.
    """
    found = _make_pages(session, requests, on_lost)
    doubted = doubt_silence(session, requests[0].query, found)
    if doubted is None:
        return found
    return _make_pages(session, [replace(each, doubted=doubted) for each in requests], on_lost)


def _make_pages(
    session: Session, requests: Sequence[PageRequest], on_lost: OnLost
) -> list[MailboxPage | ToolError]:
    tasks = [
        MailboxTask(
            mailbox=each.position.mailbox,
            uidvalidity=each.position.uidvalidity or None,
            steps=_make_page(session, each),
        )
        for each in requests
    ]
    try:
        return run_pipelined(session, tasks)
    except ToolError as error:
        on_lost([_what_came(task.outcome, error) for task in tasks])
        raise


def _what_came(outcome: MailboxPage | ToolError, error: ToolError) -> MailboxPage | ToolError:
    """Return the outcome of a mailbox, or the error where no row of its page came."""
    if isinstance(outcome, MailboxPage) and outcome.checked:
        return outcome if outcome.fetched.messages or outcome.tally else error
    return outcome


def _make_page(session: Session, request: PageRequest) -> Steps[MailboxPage]:
    """Make a page, in as many attempts as that takes.

    An attempt returns another request if the server refuses the charset, if kept candidates are out of date,
    if UIDs don't follow the order, or if the rows contradict what was searched for.
    """
    quirks, name = session.quirks, canonical_name(request.position.mailbox)
    request = replace(request, position=replace(request.position, mailbox=name))
    if name not in quirks.sizes and is_large(quirks.largest_seen):
        yield []  # opens it, to learn its size before it is searched: it may be large, too
    if not request.position.is_begun:
        request = replace(
            request, position=replace(request.position, way=(yield from _choose_way(session, request)))
        )
    while True:
        page = yield from Attempt(session, request).make()
        if isinstance(page, MailboxPage):
            return page
        request = page


def _choose_way(session: Session, request: PageRequest) -> Steps[Way]:
    """Choose the way of a first page; one round trip to learn the size of a mailbox before it is sorted."""
    rank, name = request.order.by, request.position.mailbox
    out_of_order = name in session.quirks.uids_out_of_order
    if request.tally or (rank is RankBy.ARRIVED and not out_of_order):
        return Way.UID
    exists = session.quirks.sizes.get(name)
    if exists is None and session.can("SORT"):
        exists = (yield []).mailbox.exists
    way = sorted_way(session, exists)
    if way is Way.BLOCK and rank is RankBy.SIZE:
        raise InvalidInputError.of(
            "sort",
            BaseReason.INVALID_VALUE,
            "can't be largest here: the server doesn't sort this mailbox. Send larger_than instead.",
        )
    return way
