"""The criterion `awaiting_reply`: whose reply a message awaits, as far as the message itself shows it.

Whether a reply exists shows only on other messages. `mailmcp.tools.search.awaiting` looks for those.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from mailmcp.model.mail_kind import MailKind, WantedKind
from mailmcp.model.search_keys import any_of

FROM_OTHERS: Final = "from_others"
FROM_ME: Final = "from_me"
REPLY_SIDES: Final = (FROM_OTHERS, FROM_ME)


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitedReply:
    """Whose reply is awaited, and who the owner is. Addresses are in lower case."""

    header_fields: ClassVar[tuple[str, ...]] = (
        *WantedKind(kind=MailKind.PERSONAL).header_fields,
        *("To", "Cc", "Message-ID", "References", "In-Reply-To", "Subject", "Date"),
    )
    """The fields that show who wrote a message, to whom, what kind of mail it is, and what it refers to."""

    side: str
    """`FROM_OTHERS`: mail that the owner sent. `FROM_ME`: mail to the owner."""

    own: tuple[str, ...] = ()
    """The owner's addresses, in all accounts."""

    only_sent: bool = False
    """Whether the mailbox holds sent mail, so that the owner wrote all of it."""

    @property
    def keys(self) -> tuple[bytes | str, ...]:
        """The search keys; none if all messages of the mailbox are candidates."""
        if self.side == FROM_ME or self.only_sent:
            return ()
        return any_of([(b"FROM", address) for address in self.own]) or (b"NOT", b"ALL")
