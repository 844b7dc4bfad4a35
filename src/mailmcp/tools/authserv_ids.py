"""Samples INBOX for the host that writes Authentication-Results, along with the first message read there.

Once for each account, for as long as the process lives. It costs no round trip, and the octets of `limits`.
"""

from collections.abc import Iterable
from datetime import UTC

from mailmcp import limits
from mailmcp.imap.command import Command
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.trust.authserv import Delivered, LearnedId, learn_authserv_id

_SECTION = "HEADER.FIELDS"
_ITEMS = (
    f"(UID INTERNALDATE BODY.PEEK[{_SECTION} (RECEIVED AUTHENTICATION-RESULTS)]"
    f"<0.{limits.AUTHSERV_HEADER_OCTETS}>)"
)


class AuthservIds:
    """What was learned of each account."""

    def __init__(self) -> None:
        self._learned: dict[str, LearnedId | None] = {}

    def of(self, account_id: str) -> LearnedId | None:
        """Return the learned host of an account, if there is one."""
        return self._learned.get(account_id)

    def sample(self, session: Session) -> list[Command]:
        """Return the FETCH to send along with that of a message; none if it isn't due.

        Args:
            session: With the message's mailbox open.
        """
        account_id, mailbox = session.account.account_id, session.mailbox
        if account_id in self._learned or mailbox is None or mailbox.name != "INBOX":
            return []
        newest = min(mailbox.exists, limits.AUTHSERV_NEWEST)
        if newest < limits.AUTHSERV_MESSAGES_MIN:
            return []
        self._learned[account_id] = None  # a server that fails at it is asked once
        count = min(newest, limits.AUTHSERV_MESSAGES)
        numbers = sorted({mailbox.exists - place * newest // count for place in range(count)})
        return [Command(name="FETCH", arguments=[",".join(map(str, numbers)).encode(), _ITEMS.encode()])]

    def learn(self, account_id: str, rows: Iterable[FetchedMessage]) -> None:
        """Learn from what the server sent."""
        delivered = [
            Delivered(
                headers=parse_headers(row.sections[_SECTION]), day=row.internal_date.astimezone(UTC).date()
            )
            for row in rows
            if _SECTION in row.sections and row.internal_date is not None
        ]
        if delivered:
            self._learned[account_id] = learn_authserv_id(delivered)
