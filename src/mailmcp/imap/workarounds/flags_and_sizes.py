"""Wrong searches by flags and sizes, found out by what the server says of the messages themselves.

iCloud gets sizes wrong, and some servers ignore flags. Flags and sizes come with the rows of a page
anyway. Where a search by flags found nothing, those of the newest messages are fetched.
"""

from collections.abc import Mapping

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.search.plan import make_plan
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.verify import measures_match
from mailmcp.imap.sequence_set import sequence_sets
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery

SIZE_MARGIN = 1.05
"""Some servers count line ends differently in SEARCH and in RFC822.SIZE."""

_CONTRADICTIONS_MIN = 2
"""The flags of one message may have changed since the search."""


def check_false_positives(
    server: SearchServer, mailbox: str, trusted: SearchQuery, rows: Mapping[int, FetchedMessage]
) -> Steps[bool]:
    """Check whether the server found messages that don't match.

    No round trip if all rows match. If two or more don't, they may have changed since the search:
    one round trip to search for them again. If the server finds them again, it is wrong.

    Args:
        server: The server.
        mailbox: The mailbox of the steps.
        trusted: What the server searched for by itself.
        rows: Messages that it found just now, by UID, with FLAGS.

    Returns:
        Whether the server was caught. It isn't trusted with these criteria any more.
    """
    caught = False
    for feature in (Feature.FLAGS, Feature.LARGER, Feature.SMALLER):
        asked = trusted.only(row for row in trusted.criteria if feature in row.features)
        if not asked.criteria:
            continue
        odd = {uid for uid, row in rows.items() if not measures_match(asked, row, size_margin=SIZE_MARGIN)}
        if len(odd) >= _CONTRADICTIONS_MIN:
            again = yield from _search_within(server, mailbox, asked, odd)
            if len(again) >= _CONTRADICTIONS_MIN:
                server.session.quirks.distrust(feature)
                caught = True
    return caught


def check_false_negatives(
    server: SearchServer, mailbox: str, trusted: SearchQuery, exists: int
) -> Steps[bool]:
    """Check whether a server that found nothing by flags misses messages.

    No round trip without flags in the query, otherwise one for the flags of the newest messages. If
    some of these match, either their flags changed or other criteria exclude them: the server is asked
    for them by flags alone. If it finds none although some still have the flags, it is wrong.

    Args:
        server: The server.
        mailbox: The mailbox of the steps.
        trusted: What the server searched for by itself.
        exists: Messages in the mailbox.

    Returns:
        Whether the server was caught. It isn't trusted with flags any more.
    """
    asked = trusted.only(row for row in trusted.criteria if Feature.FLAGS in row.features)
    if not asked.criteria or not exists:
        return False
    newest = b"%d:%d" % (max(1, exists - limits.FLAG_SAMPLE_MESSAGES + 1), exists)
    missed = yield from _fetch_matching(asked, newest, uid=False)
    if not missed or (yield from _search_within(server, mailbox, asked, missed)):
        return False
    still = b",".join(sequence_sets(sorted(missed)))
    if not (yield from _fetch_matching(asked, still, uid=True)):
        return False
    server.session.quirks.distrust(Feature.FLAGS)
    return True


def _search_within(server: SearchServer, mailbox: str, query: SearchQuery, uids: set[int]) -> Steps[set[int]]:
    """Search for flags or sizes, and return those of the messages that the server finds."""
    plan = make_plan(query, can=server.session.can)
    found = yield from server.search(mailbox, plan, (min(uids), max(uids)))
    return uids.intersection(found.uids) if found else set()


def _fetch_matching(query: SearchQuery, messages: bytes, *, uid: bool) -> Steps[set[int]]:
    """Return the UIDs of the messages whose flags match now; none if the server refuses."""
    [reply] = (yield [Command(name="FETCH", arguments=[messages, b"(UID FLAGS)"], uid=uid)]).replies
    if isinstance(reply, RefusedError):
        return set()  # some are gone meanwhile
    rows, _ = parse_rows(reply)
    return {each for each, row in rows.items() if measures_match(query, row)}
