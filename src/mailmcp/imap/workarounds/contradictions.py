"""What a server found held against what it says of the messages: one found as unread that is read.

Flags and sizes come with the rows of a page anyway. Where nothing was found by flags, those of the
newest messages are looked at.
"""

from collections.abc import Mapping

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.fetch import FetchedMessage, parse_rows, sequence_sets
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.plan import Plan, keys_for
from mailmcp.imap.search.uid_search import PlanChangedError, search_steps
from mailmcp.imap.search.verify import measures_match
from mailmcp.imap.session import Session
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery

_SIZE_MARGIN = 1.05
"""Some servers count line ends otherwise in SEARCH than in RFC822.SIZE."""

_PROOF = 2
"""Rows: the flags of one may have changed since the search."""


def contradicting(query: SearchQuery, rows: Mapping[int, FetchedMessage]) -> frozenset[int]:
    """Return the messages that don't match a query by the flags and sizes in their rows.

    Args:
        query: Criteria of flags and sizes.
        rows: By UID, with FLAGS if the query has criteria of flags.
    """
    return frozenset(
        uid for uid, row in rows.items() if not measures_match(query, row, size_margin=_SIZE_MARGIN)
    )


def _trusted(query: SearchQuery, local: SearchQuery, feature: Feature) -> SearchQuery:
    """Return what of a query the server was trusted with, as far as that depends on a feature."""
    return query.only(row for row in query.criteria if feature in row.features and row not in local.criteria)


def check_false_positives(
    session: Session,
    name: str,
    query: SearchQuery,
    local: SearchQuery,
    rows: Mapping[int, FetchedMessage],
) -> Steps[None]:
    """Find out whether the server finds messages that do not match; no round trip if all rows do.

    One where two or more do not: they may have changed since the search, and the server is asked
    about them again. What it finds again, it is not trusted with any more.

    Args:
        session: For what is known of the server, and what is learned.
        name: The mailbox that the steps is about.
        query: What was searched for.
        local: Of these, what the server was not trusted with.
        rows: Of messages that it found just now, by UID; with FLAGS, sizes if they were asked for.

    Raises:
        PlanChangedError: The server was caught: the search has to be made again.
    """
    caught = False
    for feature in (Feature.FLAGS, Feature.LARGER, Feature.SMALLER):
        trusted = _trusted(query, local, feature)
        odd = contradicting(trusted, rows)
        if len(odd) >= _PROOF:
            plan = Plan(keys=keys_for(trusted))
            again = yield from search_steps(session, name, plan, low=min(odd), high=max(odd))
            if len(odd.intersection(again.uids)) >= _PROOF:
                session.quirks.distrust(feature)
                caught = True
    if caught:
        raise PlanChangedError


def check_false_negatives(
    session: Session, name: str, query: SearchQuery, local: SearchQuery, exists: int
) -> Steps[None]:
    """Find out whether a server that found nothing by flags overlooks messages; no round trip without flags.

    One else, for the flags of the newest messages. Another where they have what was searched for,
    which may be since the search, or not be all that was: the server is asked for them by their flags.
    If it finds none of them, though some still have those flags (a third), it is not trusted with flags
    any more.

    Args:
        session: For what is known of the server, and what is learned.
        name: The mailbox that the steps is about.
        query: What was searched for.
        local: Of these, what the server was not trusted with.
        exists: Messages in the mailbox.

    Raises:
        PlanChangedError: The server was caught: the search has to be made again.
    """
    trusted = _trusted(query, local, Feature.FLAGS)
    if not trusted.criteria or not exists:
        return
    newest = b"%d:%d" % (max(1, exists - limits.FLAG_SAMPLE_MESSAGES + 1), exists)
    missed = yield from _holding(trusted, newest, uid=False)
    if not missed:
        return
    plan = Plan(keys=keys_for(trusted))
    again = yield from search_steps(session, name, plan, low=min(missed), high=max(missed))
    if not missed.isdisjoint(again.uids):
        return
    still = b",".join(sequence_sets(sorted(missed)))
    if (yield from _holding(trusted, still, uid=True)):
        session.quirks.distrust(Feature.FLAGS)
        raise PlanChangedError


def _holding(query: SearchQuery, messages: bytes, *, uid: bool) -> Steps[set[int]]:
    """Name those of some messages that match by their flags now; none where the server refuses to say."""
    [reply] = (yield [Command(name="FETCH", arguments=[messages, b"(UID FLAGS)"], uid=uid)]).replies
    if isinstance(reply, RefusedError):
        return set()  # some are gone meanwhile
    rows, _ = parse_rows(reply)
    return {each for each, row in rows.items() if measures_match(query, row)}
