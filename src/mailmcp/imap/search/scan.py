"""Narrow down a search for invitations by the structures of the messages that it found.

No search key finds invitations, but each has a word in its BODYSTRUCTURE. Structures are fetched and looked
through as octets, so that thousands take no longer than a page. What has the word is verified later.
"""

from array import array
from dataclasses import replace

from mailmcp import limits
from mailmcp.imap.fetch_pipelined import uids_with_word
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.uid_search import Found
from mailmcp.imap.session import Session


def scan_structures(
    session: Session, found: Found, word: bytes, *, ascending: bool, until: float
) -> Steps[Found]:
    """Leave out the messages whose structures lack a word; one round trip for each chunk of messages.

    Args:
        session: Used for its clock and the server's limits.
        found: What to look through.
        word: In lower case.
        ascending: Whether to begin at the first message, otherwise at the last.
        until: On the clock of the quirks: when to stop. Messages that were not looked through are kept.
    """
    clock = session.quirks.clock
    uids = found.uids if ascending else found.uids[::-1]
    kept, scanned, size = array("I"), 0, limits.SCAN_CHUNK_FIRST
    began = clock()
    while scanned < len(uids) and size:
        chunk = uids[scanned : scanned + size]
        having = yield from uids_with_word(chunk, word, message_limit=session.message_limit)
        kept.extend(uid for uid in chunk if uid in having)
        scanned += len(chunk)
        elapsed_s, left_s = max(clock() - began, 0.001), max(until - clock(), 0.0)
        size = int(min(limits.SCAN_CHUNK_MAX, scanned / elapsed_s * left_s))
    kept.extend(uids[scanned:])
    return replace(found, uids=kept if ascending else kept[::-1])
