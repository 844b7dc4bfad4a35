"""What a search asks for, whoever answers it: the server's SEARCH or a look at the messages."""

import re
from dataclasses import dataclass, fields
from datetime import datetime

_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What to search for; all that is set must hold. "", 0, False and None ask nothing.

    Texts hold no CR, LF or NUL: callers refuse them before, in words for whoever sent them.
    """

    query: str = ""
    """Words, each somewhere in headers or body; a "quoted phrase" counts as one."""

    exclude: str = ""
    """Words, written likewise, none of which may occur in headers or body."""

    from_: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    body: str = ""
    any_address: str = ""
    """Part of a name or address in From, To or Cc."""

    keyword: str = ""
    """A keyword (RFC 9051 section 2.3.2), as `$Forwarded`."""

    header_message_id: str = ""
    """The Message-ID header, with or without angle brackets."""

    gmail_query: str = ""
    """Gmail's own search language (X-GM-RAW), where the server is Gmail."""

    unread_only: bool = False
    flagged: bool = False
    answered: bool = False
    has_attachment: bool = False
    """SEARCH has no key for it: always found out by looking at the structure of messages."""

    larger_than: int = 0
    """Octets, as RFC822.SIZE counts them; so `smaller_than`."""

    smaller_than: int = 0
    since: datetime | None = None
    """Aware. Received (INTERNALDATE) at this moment or after, exact to the second."""

    before: datetime | None = None
    """Aware. Received before this moment."""

    @property
    def is_all(self) -> bool:
        """Whether every message matches."""
        return not self.asked

    @property
    def asked(self) -> frozenset[str]:
        """Names of the fields that ask something."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) != each.default)


def split_words(name: str, text: str) -> list[str]:
    """Divide `query` and `exclude` into words and phrases; `body` is one phrase.

    An empty phrase asks nothing, and servers find it everywhere.
    """
    if name == "body":
        return [text]
    return [word for word in (match[1] or match[2] for match in _WORD.finditer(text)) if word]
