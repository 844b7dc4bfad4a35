"""Mail that no search for words sees into: signed in one piece, or encrypted.

A search for words asks, along with the rows, which other messages are of these types; what it says of them is
up to the caller. Only the type of the whole message can be searched for: SEARCH knows no types of parts.
"""

from mailmcp import limits
from mailmcp.imap.command import Command
from mailmcp.imap.search.plan import search_command
from mailmcp.model.query import Criterion, Proof, SearchQuery

_TYPES = (
    b"OR",
    b"OR",
    b"HEADER",
    b"CONTENT-TYPE",
    b'"pkcs7-mime"',
    b"HEADER",
    b"CONTENT-TYPE",
    b'".p7m"',
    b"HEADER",
    b"CONTENT-TYPE",
    b'"multipart/encrypted"',
)


def looks_inside(row: Criterion) -> bool:
    """Return whether a criterion is about words that opaque mail may have, too."""
    return row.proof is Proof.WORDS and not row.negated


def without_words(query: SearchQuery) -> SearchQuery:
    """Return the criteria of a query that opaque mail can be searched by."""
    return query.only(row for row in query.criteria if row.proof is not Proof.WORDS)


def opaque_search(keys: tuple[bytes, ...], *, exists: int) -> Command:
    """Write the search for opaque mail among the newest messages.

    Args:
        keys: Of the criteria that it must meet, too.
        exists: Messages in the mailbox.
    """
    lowest = max(exists - limits.OPAQUE_MESSAGES_SEARCHED + 1, 1)
    return search_command((*_TYPES, *keys), within=(b"%d:*" % lowest,))
