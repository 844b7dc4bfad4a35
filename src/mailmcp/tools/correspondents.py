"""To whom the owner of an account has written, by the newest messages in Sent.

What was learned is kept for as long as the process lives; a later call fetches what was sent since. Losing
it costs only a FETCH.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mailmcp import limits
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.newest import NewestHeaders, fetch_newest_headers
from mailmcp.imap.session import Session
from mailmcp.mail.header.address import parse_addresses
from mailmcp.mail.header.fields import parse_headers
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError, NotFoundError, code

_FIELDS = ("To", "Cc", "Bcc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondents:
    """The addresses to which one account has written, and what they were learned from."""

    addresses: frozenset[str]
    """In lower case."""

    mailbox: str
    read: int
    """How many sent messages were looked at."""

    is_whole: bool
    """Whether these were all."""

    state: NewestHeaders
    """Of the mailbox, without header fields."""

    @property
    def statement(self) -> str:
        """The sentence for the reader of a result."""
        addresses = counted(len(self.addresses), "address", "addresses")
        part = "" if self.is_whole else f"newest {self.read} of {self.state.exists} "
        return f"Correspondents are the {addresses} to which the {part}messages in {code(self.mailbox)} went."


def learn_correspondents(
    session: Session, argument: str, known: Correspondents | None = None
) -> Correspondents:
    """Learn to whom the owner has written. Blocks; three round trips, later one or two.

    Args:
        session: Of the account.
        argument: What needs them, for the error.
        known: What was learned before.

    Raises:
        InvalidInputError: The account has no mailbox for sent mail.
        ToolError: The mailbox can't be opened, the server refuses, or the connection failed.
    """
    if known is not None:
        try:
            return _learn(session, known.mailbox, known)
        except NotFoundError:
            pass  # it was renamed: look for it again
    sent = [each for each in list_mailboxes(session) if each.special_use == "\\Sent" and each.selectable]
    if not sent:
        raise InvalidInputError.of(
            argument,
            BaseReason.INVALID_VALUE,
            f"needs a mailbox for sent mail, and account {session.account.account_id} has none. "
            "Send personal instead.",
        )
    return _learn(session, sent[0].name, None)


def _learn(session: Session, mailbox: str, known: Correspondents | None) -> Correspondents:
    new = fetch_newest_headers(
        session,
        mailbox,
        " ".join(_FIELDS).upper(),
        limit=limits.SENT_MESSAGES_MAX,
        since=known.state if known else None,
    )
    addresses, read = frozenset(_recipients(new.headers)), len(new.headers)
    is_whole = read >= new.exists
    if known and new.follows:
        addresses, read, is_whole = addresses | known.addresses, read + known.read, known.is_whole
    return Correspondents(
        addresses=addresses,
        mailbox=mailbox,
        read=min(read, new.exists),
        is_whole=is_whole,
        state=replace(new, headers=()),
    )


def _recipients(headers: Iterable[bytes]) -> Iterable[str]:
    for block in headers:
        fields = parse_headers(block)
        for name in _FIELDS:
            for each in parse_addresses(*fields.raw_all(name)):
                if each.address:
                    yield each.address.lower()
