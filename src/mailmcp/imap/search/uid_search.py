"""UID SEARCH and UID SORT within a steps: what the server finds, and how far that is to be believed.

RFC 9051 section 6.4.4; extended results by RFC 4731, SORT by RFC 5256, limits by RFC 9738.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.fetch import parse_rows
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.quirks import Verdict, Visibility, is_unsupported
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.response import parse_esearch, parse_search
from mailmcp.imap.session import SelectedMailbox, Session
from mailmcp.imap.workarounds.visibility import look_again, looks_short
from mailmcp.model.feature import Feature

_UID_MAX = 2**32 - 1
_LIMITED = "The server looks at a limited number of messages: older ones were not searched."
_LIMIT_REACHED = re.compile(rb"\d{1,10} (\d{1,10})")

_Span = tuple[int, int | None]
"""Lowest and highest UID; None for no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the server found."""

    uids: "array[int]"
    """Each once; in the order of `sort` if `is_sorted`, else ascending."""

    is_sorted: bool = False
    statements: tuple[str, ...] = ()
    complete: bool = True


class PlanChangedError(Exception):
    """The search has to be made again: something was learned that changes its result."""


def search_steps(
    session: Session, name: str, plan: Plan, *, low: int = 1, high: int | None = None, sort: bytes = b""
) -> Steps[Found]:
    """Search for the keys of a plan; one round trip, two where a huge mailbox cannot be ruled out.

    One more in a mailbox larger than any that is known to be shown whole: how much is shown is counted.

    Args:
        session: For what is known of the server; its open mailbox may be another one meanwhile.
        name: The mailbox that the steps is about.
        plan: What to search for.
        low: Lowest UID that counts.
        high: Highest UID that counts; None for no end.
        sort: A key of SORT, if the server is to sort; it is given up where it does not work.

    Raises:
        PlanChangedError: The plan rests on something that the server refused: CHARSET.
        InternalError: The server refuses the search, or its answer is not to be believed.
    """
    if high is not None and high < low:
        return Found(uids=array("I"))
    size = session.quirks.sizes.get(name)
    # Answers must fit a line. Those of ESEARCH are ranges, and short; others need the size before.
    if size is None and (sort or not _can_esearch(session)):
        size = (yield []).mailbox.exists
    huge = size is not None and size > limits.SEARCH_WINDOW
    if sort and not huge:
        found, mailbox = yield from _sorted(session, plan, sort)
        if found is not None:
            return (yield from _believed(session, name, plan, found, mailbox.exists))
    if not plan.keys and not session.quirks.trusts(Feature.ALL):
        return (yield from _listed(session, low, high))
    spans: list[_Span] = [(low, high)]
    if huge:
        spans = list(_windows((yield []).mailbox, low, high))
    found, mailbox = yield from _searched(session, plan, spans)
    if low > 1 or high is not None:
        return found
    return (yield from _believed(session, name, plan, found, mailbox.exists))


def _can_esearch(session: Session) -> bool:
    return session.can("ESEARCH") and session.quirks.trusts(Feature.ESEARCH)


def _windows(mailbox: SelectedMailbox, low: int, high: int | None) -> Iterator[_Span]:
    """Divide UIDs into spans whose answers fit a line, from the newest down."""
    if mailbox.uidnext is None:
        yield low, high
        return
    top = mailbox.uidnext - 1 if high is None else high
    for last in range(top, low - 1, -limits.SEARCH_WINDOW):
        first = max(low, last - limits.SEARCH_WINDOW + 1)
        yield first, (None if high is None and last == top else last)


def _sorted(session: Session, plan: Plan, key: bytes) -> Steps[tuple[Found | None, SelectedMailbox]]:
    """Let the server sort; None if it turns out that it cannot."""
    charset = b"UTF-8" if plan.beyond_ascii else b"US-ASCII"
    responses = yield [
        Command(name="SORT", arguments=[b"(" + key + b")", charset, *(plan.keys or [b"ALL"])], uid=True)
    ]
    [reply] = responses.replies
    if isinstance(reply, RefusedError):
        if is_unsupported(reply) and not plan.beyond_ascii:
            session.quirks.distrust(Feature.SORT)
        return None, responses.mailbox
    uids = list(dict.fromkeys(parse_search(reply.untagged.get("SORT", ()))))
    fewest = 1 if plan.keys else responses.mailbox.exists
    if _lowest_looked_at(reply) is not None or len(uids) < fewest:
        return None, responses.mailbox  # SEARCH will tell what is wrong
    return Found(uids=_checked(session, uids), is_sorted=True), responses.mailbox


def _searched(session: Session, plan: Plan, spans: list[_Span]) -> Steps[tuple[Found, SelectedMailbox]]:
    """Search spans of UIDs one by one; where a limited server stopped on the way down, again below.

    Never several at once: plain answers do not say which command they belong to.
    """
    uids: set[int] = set()
    stopped = False
    rounds = len(spans) + limits.SEARCH_ROUNDS_MAX
    while True:
        low, high = spans[0]
        extended = _can_esearch(session)
        responses = yield [_command(plan, spans[0], extended=extended)]
        [reply] = responses.replies
        if extended and isinstance(reply, RefusedError) and is_unsupported(reply):
            extended = False
            responses = yield [_command(plan, spans[0], extended=False)]
            if isinstance(responses.replies[0], Response):
                session.quirks.distrust(Feature.ESEARCH)
        found = _read(session, plan, responses.replies[0], extended=extended)
        if found is not None:
            uids.update(uid for uid in found if uid >= low and (high is None or uid <= high))
            lowest = _lowest_looked_at(responses.replies[0])
            stopped |= lowest == 0
            spans = ([(low, lowest - 1)] if lowest is not None and lowest > low else []) + spans[1:]
        rounds -= 1
        if not spans or not rounds:
            break
    whole = not (spans or stopped)
    found_all = Found(
        uids=_checked(session, sorted(uids)), statements=() if whole else (_LIMITED,), complete=whole
    )
    return found_all, responses.mailbox


def _command(plan: Plan, span: _Span, *, extended: bool) -> Command:
    low, high = span
    arguments = [b"RETURN", b"(COUNT ALL)"] if extended else []
    if plan.beyond_ascii:
        arguments += [b"CHARSET", b"UTF-8"]
    if span != (1, None):
        arguments += [b"UID", b"%d:%b" % (low, b"*" if high is None else b"%d" % high)]
    return Command(name="SEARCH", arguments=[*arguments, *(plan.keys or [b"ALL"])], uid=True)


def _read(
    session: Session, plan: Plan, reply: Response | RefusedError, *, extended: bool
) -> Sequence[int] | None:
    """Read an answer; None if it is to be asked again, in the plain way."""
    if isinstance(reply, RefusedError):
        # Exchange says BAD without a word of the charset.
        if plan.beyond_ascii and is_unsupported(reply):
            session.quirks.distrust(Feature.CHARSET)
            raise PlanChangedError
        raise refused_error(session.account.account_id, reply) from reply
    if not extended:
        return parse_search(reply.untagged.get("SEARCH", ()))
    found = parse_esearch(reply.untagged.get("ESEARCH", ()), tag=reply.tag)
    if found is None:
        session.quirks.distrust(Feature.ESEARCH)
        if "SEARCH" in reply.untagged:
            return parse_search(reply.untagged["SEARCH"])
    return found


def _lowest_looked_at(reply: Response | RefusedError) -> int | None:
    """Read how far down a server looked that stops on the way (RFC 9738); 0 if it does not say."""
    if isinstance(reply, RefusedError) or "MESSAGELIMIT" not in reply.untagged:
        return None
    said = reply.untagged["MESSAGELIMIT"][-1]
    match = _LIMIT_REACHED.fullmatch(said) if isinstance(said, bytes) else None
    return int(match[1]) if match else 0


def _listed(session: Session, low: int, high: int | None) -> Steps[Found]:
    """Name the messages by FETCH, where SEARCH does not find them."""
    span = b"%d:%b" % (low, b"*" if high is None else b"%d" % high)
    responses = yield [Command(name="FETCH", arguments=[span, b"(UID)"], uid=True)]
    [reply] = responses.replies
    if isinstance(reply, RefusedError):
        raise refused_error(session.account.account_id, reply)
    rows, _ = parse_rows(reply)
    uids = [uid for uid in sorted(rows) if uid >= low and (high is None or uid <= high)]
    return Found(uids=_checked(session, uids))


def _believed(session: Session, name: str, plan: Plan, found: Found, exists: int) -> Steps[Found]:
    """Look into a result that a server may have got wrong: too few of all messages, or of those it shows.

    Strato finds none by any key, so that none is believed once the server has found all messages.
    """
    quirks = session.quirks
    if not plan.keys:
        if len(found.uids) < exists:
            return (yield from _doubted(session, name, plan, found, exists))
        quirks.learn_visibility(name, Visibility(shown=exists, exists=exists))
        return found
    nothing = not found.uids and exists > 0 and quirks.verdict(Feature.ALL) is Verdict.UNKNOWN
    if not nothing and not (yield from looks_short(session, name, exists, extended=_can_esearch(session))):
        return _as_shown(session, name, found)
    trusted = quirks.trusts(Feature.ESEARCH)
    everything = yield from search_steps(session, name, Plan(keys=()))
    if not quirks.trusts(Feature.ALL) or quirks.trusts(Feature.ESEARCH) != trusted:
        raise PlanChangedError
    if everything.complete:
        quirks.learn(Feature.ALL, Verdict.OK)
    if found.uids:
        return _as_shown(session, name, found)
    statements = tuple(dict.fromkeys(found.statements + everything.statements))
    return replace(found, statements=statements, complete=found.complete and everything.complete)


def _as_shown(session: Session, name: str, found: Found) -> Found:
    """Say it with a result if its mailbox is not shown whole."""
    view = session.quirks.visibility.get(name)
    if view is None or not view.limited:
        return found
    return replace(found, statements=(*found.statements, view.statement), complete=False)


def _doubted(session: Session, name: str, plan: Plan, found: Found, exists: int) -> Steps[Found]:
    """Find out why a search for all messages found fewer than there are: Strato finds none."""
    if _can_esearch(session):
        before = session.quirks.verdict(Feature.ESEARCH)
        session.quirks.distrust(Feature.ESEARCH)
        plainly, _ = yield from _searched(session, plan, [(1, None)])
        if len(plainly.uids) >= exists:
            session.quirks.learn_visibility(name, Visibility(shown=exists, exists=exists))
            return plainly
        if len(plainly.uids) <= len(found.uids):
            session.quirks.learn(Feature.ESEARCH, before)
        else:
            found = plainly
    if not found.uids:
        session.quirks.distrust(Feature.ALL)
        listed = yield from _listed(session, 1, None)
        if not listed.uids:
            raise protocol_error(
                session.account.account_id, "finds no message in a mailbox that it says is not empty"
            )
        return listed
    if not found.complete:
        # It is said anyway, and need not be counted each time.
        session.quirks.visibility.setdefault(name, Visibility(shown=exists, exists=exists))
        return found
    view = yield from look_again(session, name, shown=len(found.uids))
    if view.shown >= view.exists:
        return found
    return Found(uids=found.uids, statements=(view.statement,), complete=False)


def _checked(session: Session, uids: Sequence[int]) -> "array[int]":
    if uids and not 0 < min(uids) <= max(uids) <= _UID_MAX:
        raise protocol_error(session.account.account_id, "finds a message with an impossible UID")
    return array("I", uids)
