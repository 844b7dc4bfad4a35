"""Mail that the server's search for words doesn't see into: signed in one piece, or encrypted.

A search may find an old date and miss the newer one, because that mail was signed as one file. Where there
are few such messages their text is read here. What can't be read is counted in a warning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.text.snippet import find_word, normalize_words
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.evidence import SearchTerms, text_of
from mailmcp.tools.names import GET_MESSAGE
from mailmcp.tools.rows import date_of
from mailmcp.tools.search.page import ref_of
from mailmcp.tools.search.row_details import fetch_snippets
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import NextAction, code


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueMail:
    """What was found of it; by default nothing."""

    matches: tuple[MessageRef, ...] = ()
    """Signed messages whose text has the words, newest first."""

    unread: tuple[MessageRef, ...] = ()
    """Messages that nothing can be said about, newest first in each mailbox."""

    def warnings(self, *, empty: bool) -> Iterator[str]:
        """Write a sentence about each kind.

        Args:
            empty: Whether the search found nothing else.
        """
        if self.matches:
            also = "" if empty else "also "
            have = "has" if len(self.matches) == 1 else "have"
            found = counted(len(self.matches), "message")
            yield (
                f"{found} signed as one file, which servers don't search, {also}{have} the words: "
                f"{_ids(self.matches)}."
            )
        if self.unread:
            found = counted(len(self.unread), "message" if empty else "newer message")
            yield f"{found} couldn't be searched (encrypted, or signed as one file): {_ids(self.unread)}."

    @property
    def next_action(self) -> NextAction | None:
        """Read the newest match."""
        if not self.matches:
            return None
        arguments = {"message_id": self.matches[0].message_id}
        return NextAction(instruction="Read the signed message.", tool=GET_MESSAGE, arguments=arguments)


NO_OPAQUE_MAIL = OpaqueMail()


def _ids(refs: Sequence[MessageRef]) -> str:
    shown = [code(each.message_id) for each in refs[: limits.OPAQUE_MESSAGES_NAMED]]
    return ", ".join([*shown, "…"] if len(refs) > len(shown) else shown)


async def look_inside(call: Call, searches: Searches, terms: SearchTerms) -> OpaqueMail:
    """Search for words in the opaque mail that a search met; one round trip an account, if there is any."""
    refs = sorted(_recent(searches), key=lambda ref: ref.uid, reverse=True)
    if not refs:
        return NO_OPAQUE_MAIL
    texts = await fetch_snippets(call, refs[: limits.OPAQUE_MESSAGES_READ], terms)
    found = {ref: _has_words(message, terms) for ref, message in texts.items()}
    matches = [ref for ref in texts if found[ref]]
    return OpaqueMail(
        matches=tuple(sorted(matches, key=lambda ref: _written(texts[ref]), reverse=True)),
        unread=tuple(ref for ref in refs if found.get(ref) is None),
    )


def _recent(searches: Searches) -> Iterator[MessageRef]:
    """Yield opaque messages that aren't older than the page's matches in their mailbox."""
    for source, page in searches.pages:
        oldest = min(page.uids, default=0)
        yield from (ref_of(source, page, uid) for uid in page.opaque if uid > oldest)


def _has_words(message: FetchedMessage, terms: SearchTerms) -> bool | None:
    """Return whether a message has all words where people see them; None if its text can't be read."""
    text = text_of(message, terms)
    if not text:
        return None
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    people = " ".join(headers.get(name) for name in ("Subject", "From", "To", "Cc"))
    body, everything = normalize_words(text), normalize_words(f"{people} {text}")
    in_body = all(find_word(body, (each,)) for each in terms.by_place.get("body", ()))
    if in_body and all(find_word(everything, (each,)) for each in terms.anywhere):
        return True
    is_cut = len(message.sections.get("TEXT", b"")) >= limits.EVIDENCE_OCTETS
    return None if is_cut else False


def _written(message: FetchedMessage) -> str:
    return date_of(parse_headers(message.sections.get("HEADER.FIELDS", b"")), message)
