"""Which candidates have the words of a search where people see them.

TEXT also finds words in technical header fields: "terna" in `multipart/alternative`, a host in Received. So
the server is asked once more, about the candidates alone, in which of them each word is in the subject, the
people or the text. These searches ride along with the rows of the page. What they don't find may still have
the word in the name of a file: that is verified on the message (`Proofs.words`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.imap.command import Command, quoted
from mailmcp.imap.search.plan import search_command
from mailmcp.imap.sequence_set import sequence_sets
from mailmcp.model.query import visible_words

WORD_ITEMS = ("BODYSTRUCTURE", "BODY.PEEK[HEADER.FIELDS (BCC CC FROM REPLY-TO SENDER SUBJECT TO)]")
"""What `Proofs.words` looks at. SEARCH has no keys for some of these fields."""

_KEYS = (b"SUBJECT", b"FROM", b"TO", b"CC")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleSearch:
    """Searches for words in visible text, among some candidates."""

    words: tuple[str, ...] = ()
    uids: Sequence[int] = ()
    """The first candidates after the position."""

    commands: tuple[Command, ...] = ()
    """One or more for each word, in order; empty if there is nothing to ask."""

    def unseen(self, found: Sequence[Sequence[int] | None]) -> dict[int, tuple[str, ...]] | None:
        """Return the words of each candidate that the server finds in no visible text of it.

        Args:
            found: What each command found.

        Returns:
            None if the server didn't answer: then nothing is known.
        """
        if not found or len(found) != len(self.commands) or any(each is None for each in found):
            return None
        unseen: dict[int, tuple[str, ...]] = {}
        each_word = len(found) // len(self.words)
        for number, word in enumerate(self.words):
            seen = {
                uid for each in found[number * each_word : (number + 1) * each_word] for uid in each or ()
            }
            for uid in self.uids:
                if uid not in seen:
                    unseen[uid] = (*unseen.get(uid, ()), word)
        return unseen


NO_VISIBLE_SEARCH = VisibleSearch()


def search_visible(words: Sequence[str], uids: Sequence[int], *, share: int) -> VisibleSearch:
    """Plan the searches for words in visible text.

    Args:
        words: As `SearchQuery.query` has them; those in quotes may be anywhere.
        uids: The candidates after the position, in order.
        share: How many pages share a burst.
    """
    words = visible_words(words)
    uids = uids[: limits.VISIBLE_CANDIDATES_MAX // share]
    if not words or not uids:
        return NO_VISIBLE_SEARCH
    sets = list(sequence_sets(uids))
    commands = tuple(search_command(_keys(word), within=(b"UID", each)) for word in words for each in sets)
    return VisibleSearch(words=tuple(words), uids=uids, commands=commands)


def _keys(word: str) -> list[bytes]:
    text = quoted(word)
    anywhere = [part for key in _KEYS for part in (b"OR", key, text)]
    return [*anywhere, b"BODY", text]
