"""A page of a large mailbox without criteria: its messages are fetched by their numbers, with no search.

EXISTS is the number of the newest message, and is known from the last time that the mailbox was opened. The
EXAMINE in front of the FETCH shows whether it has changed. So an unchanged mailbox costs one round trip, and
a changed one costs two. The next page continues at a number as long as the mailbox is unchanged. If anything
doesn't add up, the search takes over.
"""

from array import array

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.fetch import Fetched, FetchJob, parse_replies, replace_headers_without_from
from mailmcp.imap.pipeline import CurrentMailbox, Steps
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.order import Position, sample_evenly, uids_follow_arrival
from mailmcp.imap.search.page import CandidateList, MailboxPage, PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.verify import merge_items
from mailmcp.imap.search.windows import is_large
from mailmcp.imap.sequence_set import sequence_sets
from mailmcp.imap.session import Session

_TIMES = ("UID", "INTERNALDATE")


def can_page_by_number(server: SearchServer, request: PageRequest) -> bool:
    """Return whether a page can be fetched by numbers: all messages match, in an order by UID."""
    order, after, known = request.order, request.after, request.known
    is_next = after is not None and known is not None and known.number > 0 and known.uids[-1] == after.uid
    return (
        not request.query.criteria
        and order.is_by_uid
        and request.merge_order in {None, order}
        and (is_next or (after is None and known is None))
        and is_large(server.session.quirks.sizes.get(request.mailbox))
        and not request.doubted
        and not server.describe_hidden(request.mailbox, server.session.quirks.sizes[request.mailbox])
    )


def page_by_number(
    server: SearchServer, request: PageRequest, current: CurrentMailbox
) -> Steps[MailboxPage | None]:
    """Fetch a page by numbers, where `can_page_by_number`; one round trip, two if the mailbox has changed.

    Returns:
        None if the mailbox was rebuilt or has changed since the last page, or the rows don't add up.
    """
    session, order, known, name = server.session, request.order, request.known, request.mailbox
    exists = session.quirks.sizes[name]
    while True:
        if order.ascending:
            first = known.number + 1 if known else 1
            numbers = range(first, min(first + request.size, exists + 1))
            others = range(numbers.stop, exists + 1)
        else:
            last = known.number - 1 if known else exists
            numbers = range(max(last - request.size, 0) + 1, last + 1)
            others = range(1, numbers.start)
        tests_order = request.may_reorder and request.after is None
        items = merge_items(["UID", *request.items(session)], _TIMES if tests_order else ())
        sample = sample_evenly(others) if tests_order else ()
        rows = yield from fetch_by_number(session, (numbers, items), (sample, _TIMES))
        mailbox = current.mailbox
        if mailbox is None or (known and not known.is_current(mailbox, order)):
            return None
        if mailbox.exists == exists or known:
            break
        if not is_large(mailbox.exists):
            return None
        exists = mailbox.exists
    if rows is None or not numbers:
        return None
    in_order = name not in session.quirks.uids_out_of_order
    if tests_order:
        in_order = uids_follow_arrival(rows)
        if not in_order:
            session.quirks.uids_out_of_order.add(name)
    uids = array("I", sorted(rows, reverse=not order.ascending)[: len(numbers)])
    number = numbers[-1] if order.ascending else numbers[0]
    rest = (uids[-1] + 1, None) if order.ascending else (1, uids[-1] - 1)
    left = mailbox.exists - number if order.ascending else number - 1
    return MailboxPage(
        mailbox=mailbox.name,
        uidvalidity=mailbox.uidvalidity,
        exists=mailbox.exists,
        uids=tuple(uids),
        order=order,
        in_order=in_order,
        fetched=Fetched(messages={uid: rows[uid] for uid in uids}),
        candidates=CandidateList(
            uids=uids,
            exists=mailbox.exists,
            uidnext=mailbox.uidnext,
            verified=True,
            rest=rest if left else None,
            number=number,
        ),
        last=Position(uidvalidity=mailbox.uidvalidity, uid=uids[-1]),
        left=left,
        total=mailbox.exists,
        total_exact=True,
        candidates_checked=len(uids),
    )


def fetch_by_number(
    session: Session, job: FetchJob, sample: FetchJob
) -> Steps[dict[int, FetchedMessage] | None]:
    """Fetch messages of the open mailbox by their sequence numbers; one round trip.

    Args:
        session: As for `fetch_steps`.
        job: Numbers, and the data items of each, with UID.
        sample: The same for other messages.

    Returns:
        The rows by UID; None unless there is exactly one for each message.
    """
    commands = [
        Command(name="FETCH", arguments=[sequence_set, f"({' '.join(items)})".encode()])
        for numbers, items in (job, sample)
        for sequence_set in sequence_sets(numbers)
    ]
    replies = (yield commands).replies
    rows, unreadable = parse_replies(replies)
    refused = any(isinstance(reply, RefusedError) for reply in replies)
    if refused or unreadable or len(rows) != len(job[0]) + len(sample[0]):
        return None
    full = [uid for uid, row in rows.items() if row.sections]
    [fetched] = yield from replace_headers_without_from(
        session, [(full, job[1])], [Fetched(messages={uid: rows[uid] for uid in full})]
    )
    return rows | fetched.messages
