"""Finds out what became of an order whose outcome is unknown: the connection was lost, or the process ended.

A server goes on after it has lost its client: Dovecot carried out a MOVE of 5,000 messages whose client had
gone. An order is never repeated; it is looked for.
"""

from collections.abc import Callable
from time import sleep
from typing import Final

from mailmcp.imap.errors import connection_lost_error
from mailmcp.imap.session import Session
from mailmcp.imap.writes.judge import Answer, judge
from mailmcp.imap.writes.see import see
from mailmcp.imap.writes.values import Fate, Prepared, Result

SETTLE_S: Final = 2.0
"""What isn't seen to be done is looked at again after this long: the server may be at it."""

LOOKS_MAX: Final = 8
"""As long as there is progress."""


def look_up(
    session: Session, prepared: Prepared, *, wait: Callable[[float], None] = sleep
) -> tuple[Result, ...]:
    """Return what became of each message of an order, in its order; it takes `SETTLE_S` unless all is done.

    Messages without an id of the server's and without a Message-ID, and those of mailboxes that are gone or
    were rebuilt, stay unknown.

    Args:
        session: Of any level: it only reads.
        prepared: The order that was begun.
        wait: Waits for so many seconds.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    answer = Answer(error=connection_lost_error(prepared.order.account_id), lost=True)
    wanted = prepared.before.keys() | {0}
    results: tuple[Result, ...] = ()
    for _ in range(LOOKS_MAX):
        earlier = [each.fate for each in results]
        session.begin_lease()  # so that the mailboxes are opened again, and seen as they are now
        results = judge(prepared, answer, see(session, prepared))
        fates = [each.fate for each in results]
        if fates == earlier or all(each.fate is Fate.DONE for each in results if each.uid in wanted):
            break
        wait(SETTLE_S)
    return results
