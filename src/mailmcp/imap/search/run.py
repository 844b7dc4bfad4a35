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
from mailmcp.imap.fetch import Fetched
from mailmcp.imap.pipeline import CurrentMailbox, MailboxTask, Steps, run_pipelined
from mailmcp.imap.search.attempt import plan_attempt
from mailmcp.imap.search.by_number import can_page_by_number, page_by_number
from mailmcp.imap.search.candidates import find_candidates
from mailmcp.imap.search.order import Order, are_in_order, can_sort_by_arrival, uids_follow_arrival
from mailmcp.imap.search.page import CandidateList, CandidateQuery, MailboxPage, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.windows import is_large, learn_size
from mailmcp.imap.session import Session
from mcp_envelope import ToolError


def search_mailboxes(
    server: SearchServer,
    requests: Sequence[PageRequest],
    *,
    keep: Callable[[list[MailboxPage | ToolError]], None] = lambda _found: None,
) -> list[MailboxPage | ToolError]:
    """Search mailboxes and fetch a page of each.

    Two round trips on a warm session for up to `limits.BURST_MAILBOXES` mailboxes, one where the
    candidates are known. More where criteria must be verified on many messages, where a server
    supports neither ESEARCH nor LITERAL+, and where `server` has something to find out.

    Args:
        server: The server, on a session.
        requests: What to search for, and where.
        keep: Called if the connection fails, with the pages that arrived in part: messages that
            didn't arrive are failures. Pages of which nothing arrived get its error.

    Returns:
        For each request its page, or its error: NotFoundError (`mailbox_missing`), ConflictError
        (the UIDVALIDITY isn't that of the request), InvalidInputError (`charset_refused`, or a
        criterion that this server doesn't support), InternalError (the server refused, or its
        response makes no sense).

    Raises:
        DeadlineError, InternalError: The connection failed, which ends all of them.
    """
    server.prepare(requests)
    tasks = []
    for request in requests:
        current = CurrentMailbox()
        tasks.append(
            MailboxTask(
                mailbox=request.mailbox,
                uidvalidity=request.uidvalidity,
                steps=_find_page(server, request, current, share=len(requests)),
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


def _find_page(
    server: SearchServer, request: PageRequest, current: CurrentMailbox, *, share: int
) -> Steps[MailboxPage]:
    """Make a page; again as often as its rows show that the search must be another one."""
    name = canonical_name(request.mailbox)
    yield from learn_size(server.session.quirks, name)
    if can_page_by_number(server, name, request):
        numbered = yield from page_by_number(server, name, request, current)
        if numbered is not None:
            return numbered
        request = replace(request, known=None)
    order = yield from _choose_order(server.session, name, request)
    wanted = CandidateQuery(
        mailbox=name,
        query=request.query,
        order=order,
        proofs=request.proofs,
        size=request.size,
        after=request.after,
        known=request.known if order is request.order else None,
        may_reorder=request.may_reorder,
        search_until=request.search_until,
        report=request.report,
        alone=share == 1,
    )
    while True:
        page = yield from _try_page(server, request, wanted, current, share)
        if isinstance(page, MailboxPage):
            return page
        wanted = page


def _choose_order(session: Session, name: str, request: PageRequest) -> Steps[Order]:
    """Choose between an order by UID and the order by time that it approximates.

    One round trip to learn the size of a mailbox before it is sorted, once.
    """
    order, quirks = request.order, session.quirks
    exists = quirks.sizes.get(name)
    if request.may_reorder and name in quirks.uids_out_of_order:
        size = exists or 0
        return order.by_arrival if can_sort_by_arrival(session, size, exists=size) else order
    if order is order.by_uid or request.after is not None:
        return order
    if exists is None and session.can("SORT"):
        exists = (yield []).mailbox.exists
    return order.by_uid if is_large(exists) else order


def _try_page(
    server: SearchServer, request: PageRequest, wanted: CandidateQuery, current: CurrentMailbox, share: int
) -> Steps[MailboxPage | CandidateQuery]:
    """Make a page, or return the candidates to look for instead.

    Args:
        server: The server.
        request: The caller's request.
        wanted: What to look for now.
        current: The mailbox.
        share: How many pages share the budget of the call.
    """
    session, order = server.session, wanted.order
    candidates = yield from find_candidates(server, wanted)
    if candidates is None:
        return replace(wanted, order=request.order, may_reorder=False, expected=())
    known = wanted.known if candidates.is_known else None
    # Keep the counts of now: later responses show a later state of the mailbox.
    searched = known or current.mailbox
    exists, uidnext = (searched.exists, searched.uidnext) if searched else (0, None)

    # Fetch the first rows. Only then is the state of the mailbox known.
    attempt = plan_attempt(server, request, wanted, candidates, share)
    rows, seen, times, search_results = yield from attempt.fetch_first()
    if current.mailbox is None:
        yield []  # nothing is left to fetch, but the mailbox must be the one that was searched
    mailbox = current.mailbox
    assert mailbox is not None  # noqa: S101 - it was asked for
    if known and not known.is_current(mailbox, order):
        return replace(wanted, known=None)

    # An order by UID approximates arrival. If the times show that it fails, sort by arrival if possible.
    out_of_order = session.quirks.uids_out_of_order
    in_order = not order.is_by_uid or attempt.tests_order or wanted.mailbox not in out_of_order
    if attempt.tests_order and not rows.interrupted and not uids_follow_arrival(times.messages):
        out_of_order.add(wanted.mailbox)
        can_sort = can_sort_by_arrival(session, len(candidates.uids), exists=mailbox.exists)
        if wanted.may_reorder and can_sort and candidates.rest is None:
            return replace(wanted, order=order.by_arrival, expected=candidates.uids)
        in_order = False

    # Select the page's matches, and check that they agree with the search.
    attempt, rows, seen = yield from attempt.look_for(search_results, rows, seen)
    rest, technical = attempt.filter_all(seen)
    selection, rows = yield from attempt.select(rest, rows, seen, share)
    if attempt.merge_order.is_by_written:
        # The server may read some Date headers in another way, or not at all.
        in_order = order.is_by_written and are_in_order(selection.ranks.values(), order)
    if not (known or rows.interrupted):
        with_flags = rows.messages if "FLAGS" in attempt.row_items else {}
        ranks = tuple(selection.ranks.values())
        accepted = yield from server.accepts(
            wanted, candidates, with_flags, ranks=ranks, exists=mailbox.exists
        )
        if not accepted:
            return replace(wanted, known=None, expected=())

    # What the next page needs.
    uids, unchecked = selection.uids, len(rest) - selection.checked
    left = unchecked + candidates.more
    is_whole = request.after is None and not left
    if not known or attempt.verifies_all or candidates.rest != known.rest:
        known = CandidateList(
            uids=array("I", uids) if is_whole else rest if attempt.verifies_all else candidates.uids,
            exists=exists,
            uidnext=None if candidates.is_part else uidnext,
            verified=(attempt.verifies_all or is_whole or candidates.is_verified) and not rows.interrupted,
            rest=candidates.rest if candidates.more else None,
        )
    last = selection.last
    if not unchecked and candidates.more and candidates.rest:
        low, high = candidates.rest
        last = (low - 1 if order.ascending or high is None else high + 1), 0
    all_verified = (is_whole or attempt.verifies_all) and not rows.interrupted
    is_exact = attempt.check.is_empty and len(attempt.visible.uids) in {0, len(rest) + candidates.more}
    return MailboxPage(
        mailbox=mailbox.name,
        uidvalidity=mailbox.uidvalidity,
        exists=mailbox.exists,
        uids=uids,
        order=order,
        in_order=in_order,
        ranks={uid: selection.ranks[uid] for uid in uids if uid in selection.ranks},
        frontier=selection.last[1] if left and selection.last else None,
        fetched=Fetched(
            messages={uid: rows.messages[uid] for uid in uids if uid in rows.messages},
            failures={uid: rows.failures[uid] for uid in uids if uid not in rows.messages},
            interrupted=rows.interrupted,
        ),
        candidates=known,
        last=attempt.position(mailbox.uidvalidity, last) if last else None,
        left=left,
        total=len(known.uids) + candidates.more,
        total_exact=(all_verified or is_exact) and candidates.more_exact,
        technical=technical or selection.technical,
        opaque=tuple(sorted({*(search_results[-1] or ())}.difference(candidates.uids), reverse=True))
        if attempt.opaque and search_results
        else (),
        candidates_checked=selection.checked,
        unchecked=unchecked if len(uids) < request.size else 0,
        statements=candidates.statements,
        reach=candidates.reach,
        unverified=server.unverified(request.query, found=len(candidates.uids), exists=mailbox.exists),
        known_gaps=candidates.plan.known_gaps if mailbox.exists else "",
        complete=candidates.complete,
    )
