"""Search mailboxes and fetch a page of matches from each.

Blocking; runs on a session in a pool's thread. A caller that merges mailboxes asks for one page of
each in an order by arrival, takes the best, and continues in each mailbox after what it took.

A page is made in this order: find the candidates (`candidates`), fetch the rows of the first of
them, verify criteria that SEARCH has no key for or answers by the day (`attempt`, `verify`), and fetch
the rows that are still missing. What the rows show may change the search: the page is then made again.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace

from mailmcp.imap.command import canonical_name
from mailmcp.imap.pipeline import CurrentMailbox, MailboxTask, Steps, run_pipelined
from mailmcp.imap.search.attempt import Matches, plan_attempt
from mailmcp.imap.search.candidates import find_candidates
from mailmcp.imap.search.doubt import believe_or_repeat, doubt_noise
from mailmcp.imap.search.order import (
    Order,
    are_in_order,
    are_nearly_in_order,
    can_sort_by_arrival,
    uids_follow_arrival,
)
from mailmcp.imap.search.page import CandidateList, Candidates, MailboxPage, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.verify import find_contradicted, find_unseen
from mailmcp.imap.search.windows import is_large, learn_size
from mailmcp.imap.session import SelectedMailbox, Session
from mcp_envelope import ToolError

_MANY_MESSAGES = 10
"""A mailbox of so many messages that all have a word is rare, and not to be believed at once."""


def search_mailboxes(
    server: SearchServer,
    requests: Sequence[PageRequest],
    *,
    keep: Callable[[list[MailboxPage | ToolError]], None] = lambda _found: None,
) -> list[MailboxPage | ToolError]:
    """Search mailboxes and fetch a page of each.

    Two round trips on a warm session for up to `limits.BURST_MAILBOXES` mailboxes, one where the
    candidates are known. More where criteria must be verified on many messages, where a server
    supports neither ESEARCH nor LITERAL+, and where a server is doubted (`doubt`).

    Args:
        server: The server, on a session.
        requests: What to search for, and where.
        keep: Called if the connection fails, with the pages that arrived in part: messages that
            didn't arrive are failures. Pages of which nothing arrived get its error.

    Returns:
        For each request its page, or its error: NotFoundError (`mailbox_missing`), ConflictError
        (the UIDVALIDITY isn't that of the request), InvalidInputError (a criterion that this server
        doesn't support), InternalError (the server refused, or its response makes no sense).

    Raises:
        DeadlineError, InternalError: The connection failed, which ends all of them.
    """
    return believe_or_repeat(
        server.session, requests, lambda some: _search_once(server, some, shared=len(requests), keep=keep)
    )


def _search_once(
    server: SearchServer,
    requests: Sequence[PageRequest],
    *,
    shared: int,
    keep: Callable[[list[MailboxPage | ToolError]], None],
) -> list[MailboxPage | ToolError]:
    tasks = []
    for request in requests:
        current = CurrentMailbox()
        tasks.append(
            MailboxTask(
                mailbox=request.mailbox,
                uidvalidity=request.uidvalidity,
                steps=_find_page(server, replace(request, share=shared), current),
                current=current,
            )
        )
    try:
        return run_pipelined(server.session, tasks)
    except ToolError as error:
        keep([_arrived(task.outcome, error) for task in tasks])
        raise


def _arrived(outcome: MailboxPage | ToolError, error: ToolError) -> MailboxPage | ToolError:
    is_lost = isinstance(outcome, MailboxPage) and outcome.uids and not outcome.fetched.messages
    return error if is_lost else outcome


def _find_page(server: SearchServer, request: PageRequest, current: CurrentMailbox) -> Steps[MailboxPage]:
    """Make a page; again as often as its rows show that the search must be another one."""
    name = canonical_name(request.mailbox)
    yield from learn_size(server.session.quirks, name)
    wanted = replace(request, mailbox=name, merge_order=request.merge_order or request.order)
    order = yield from _choose_order(server.session, wanted)
    if order is not wanted.order:
        wanted = replace(wanted, order=order, known=None)
    while True:
        page = yield from _try_page(server, wanted, current)
        if isinstance(page, MailboxPage):
            return page
        wanted = page


def _choose_order(session: Session, wanted: PageRequest) -> Steps[Order]:
    """Choose between an order by UID and the order by time that it approximates.

    One round trip to learn the size of a mailbox before it is sorted, once.
    """
    order, quirks = wanted.order, session.quirks
    exists = quirks.sizes.get(wanted.mailbox)
    if wanted.may_reorder and wanted.mailbox in quirks.uids_out_of_order:
        size = exists or 0
        return order.by_arrival if can_sort_by_arrival(session, size, exists=size) else order
    if order is order.by_uid or wanted.after is not None:
        return order
    if exists is None and session.can("SORT"):
        exists = (yield []).mailbox.exists
    return order.by_uid if is_large(exists) else order


def _try_page(
    server: SearchServer, wanted: PageRequest, current: CurrentMailbox
) -> Steps[MailboxPage | PageRequest]:
    """Make a page, or return what to search for instead."""
    session, order = server.session, wanted.order
    candidates = yield from find_candidates(server, wanted)
    if candidates is None:
        return replace(wanted, order=wanted.merge_order or order, may_reorder=False)
    known = candidates.known
    # List them now: later responses show a later state of the mailbox.
    listed = known or _list_candidates(candidates, current.mailbox)

    # Fetch the first rows. Only then is the state of the mailbox known.
    attempt = plan_attempt(server, wanted, candidates)
    first = yield from attempt.fetch_first()
    if current.mailbox is None:
        yield []  # nothing is left to fetch, but the mailbox must be the one that was searched
    mailbox = current.mailbox
    assert mailbox is not None  # noqa: S101 - it was asked for
    if known and not known.is_current(mailbox, order):
        return replace(wanted, known=None)

    # An order by UID approximates arrival. If the times show that it fails, sort by arrival if possible.
    out_of_order = session.quirks.uids_out_of_order
    in_order = not order.is_by_uid or attempt.tests_order or wanted.mailbox not in out_of_order
    if attempt.tests_order and not first.rows.interrupted and not uids_follow_arrival(first.times.messages):
        out_of_order.add(wanted.mailbox)
        can_sort = can_sort_by_arrival(session, len(candidates.uids), exists=mailbox.exists)
        if wanted.may_reorder and can_sort and candidates.rest is None:
            return replace(wanted, order=order.by_arrival, known=None)
        in_order = False

    # Select the page's matches, and check that they agree with the search.
    matches = yield from attempt.find_matches(first)
    if attempt.merge_order.is_by_written:
        # The server may read some Date headers in another way, or not at all.
        in_order = order.is_by_written and are_in_order(matches.ranks.values(), order)
    if candidates.is_sorted and not are_nearly_in_order(matches.ranks.values(), order):
        session.quirks.refuse("SORT")
        return replace(wanted, known=None)
    if not known and (doubted := (yield from _doubt_rows(server, wanted, candidates, matches))):
        return replace(wanted, doubted=wanted.doubted | doubted)
    hidden = server.describe_hidden(wanted.mailbox, mailbox.exists)
    if not known or matches.all_verified or candidates.rest != known.rest:
        listed = _list_for_next_page(listed, candidates, matches)
    return MailboxPage(
        mailbox=mailbox.name,
        uidvalidity=mailbox.uidvalidity,
        exists=mailbox.exists,
        uids=matches.uids,
        order=order,
        in_order=in_order,
        ranks={uid: matches.ranks[uid] for uid in matches.uids if uid in matches.ranks},
        frontier=matches.last[1] if matches.left and matches.last else None,
        fetched=matches.fetched,
        candidates=listed,
        last=attempt.find_end(matches, mailbox.uidvalidity),
        left=matches.left,
        total=len(listed.uids) + candidates.more,
        total_exact=(matches.are_proven or matches.none_to_verify) and candidates.more_exact,
        candidates_checked=matches.checked,
        unchecked=matches.unchecked if len(matches.uids) < wanted.size else 0,
        statements=(*candidates.statements, *filter(None, [hidden])),
        reach=candidates.reach,
        known_gaps=candidates.plan.known_gaps if mailbox.exists else "",
        complete=candidates.complete and not hidden,
    )


def _doubt_rows(
    server: SearchServer, wanted: PageRequest, candidates: Candidates, matches: Matches
) -> Steps[frozenset[str]]:
    """Return the criteria that the rows of a page contradict; one round trip if they do, once."""
    session, rows = server.session, [*matches.rows.messages.values()]
    if matches.rows.interrupted or session.can("X-GM-EXT-1"):  # Gmail finds other forms of a word
        return frozenset()
    asked = wanted.query.only(row for row in wanted.query.criteria if row.name not in wanted.doubted)
    wrong = find_contradicted(asked, rows)
    if len(candidates.uids) == session.quirks.sizes.get(wanted.mailbox, 0) >= _MANY_MESSAGES:
        wrong = asked.only([*wrong.criteria, *find_unseen(asked, rows)])
    negated = frozenset(row.name for row in wrong.criteria if row.negated)
    looked_for = wrong.only(row for row in wrong.criteria if not row.negated)
    noisy = yield from doubt_noise(session, looked_for, [each.uid for each in rows])
    return negated | noisy


def _list_candidates(candidates: Candidates, mailbox: SelectedMailbox | None) -> CandidateList:
    """List the candidates that were found just now; a mailbox that wasn't opened has none."""
    uidnext = mailbox.uidnext if mailbox else None
    return CandidateList(
        uids=candidates.uids, exists=mailbox.exists if mailbox else 0, uidnext=uidnext, verified=False
    )


def _list_for_next_page(listed: CandidateList, candidates: Candidates, matches: Matches) -> CandidateList:
    """Leave out the candidates that don't match, where all were verified."""
    uids = matches.candidates if matches.all_verified else candidates.uids
    is_verified = candidates.is_verified and not matches.rows.interrupted
    return replace(
        listed,
        uids=array("I", matches.uids) if matches.is_whole else uids,
        verified=matches.are_proven or is_verified,
        rest=candidates.rest if candidates.more else None,
    )
