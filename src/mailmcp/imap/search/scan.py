"""Narrow down a search for invitations by the structures of the messages that it found.

No search key finds invitations, but each has one of a few words in its BODYSTRUCTURE. Structures are fetched
and looked through as octets, so that thousands take no longer than a page. What has a word is verified later.
"""

import re
from array import array
from collections.abc import Sequence
from dataclasses import replace

from mailmcp import limits
from mailmcp.imap.command import Piece, RefusedError, Response
from mailmcp.imap.fetch import bursts, fetch_commands
from mailmcp.imap.pipeline import Replies, Steps
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.search.uid_search import Found
from mailmcp.imap.session import Session

_STRUCTURE_ROW = re.compile(
    rb"\d+ \((?:UID (\d{1,10}) BODYSTRUCTURE \(.*\)|BODYSTRUCTURE \(.*\) UID (\d{1,10}))\)",
    re.IGNORECASE | re.DOTALL,
)
"""A whole row. What is in a structure, such as a stranger's file name, can't be taken for the UID."""


def scan_structures(
    session: Session, found: Found, words: Sequence[bytes], *, ascending: bool, until: float
) -> Steps[Found]:
    """Leave out the messages whose structures have none of some words; one round trip for each chunk.

    Args:
        session: Used for its clock and the server's limits.
        found: What to look through.
        words: In lower case.
        ascending: Whether to begin at the first message, otherwise at the last.
        until: On the clock of the quirks: when to stop. Messages that were not looked through are kept.
    """
    clock = session.quirks.clock
    uids = found.uids if ascending else found.uids[::-1]
    kept, scanned, size = array("I"), 0, limits.SCAN_CHUNK_FIRST
    began = clock()
    while scanned < len(uids) and size:
        chunk = uids[scanned : scanned + size]
        having = yield from _uids_with_words(session, chunk, words)
        kept.extend(uid for uid in chunk if uid in having)
        scanned += len(chunk)
        elapsed_s, left_s = max(clock() - began, 0.001), max(until - clock(), 0.0)
        size = int(min(limits.SCAN_CHUNK_MAX, scanned / elapsed_s * left_s))
    kept.extend(uids[scanned:])
    return replace(found, uids=kept if ascending else kept[::-1])


def _uids_with_words(session: Session, uids: Sequence[int], words: Sequence[bytes]) -> Steps[set[int]]:
    """Return the messages with a word in their BODYSTRUCTURE; one round trip if the commands fit a burst.

    Only structures that have one are parsed: that takes a hundred times as long as looking for it.

    Args:
        session: Used for the limits of the server.
        uids: The messages.
        words: In lower case; they match in any case.

    Returns:
        Messages that may have a word are included: all of `uids` if the server refused a command, and
        those whose structure isn't there if a response is malformed.
    """
    replies: Replies = []
    for burst in bursts(list(fetch_commands(session, (uids, ("UID", "BODYSTRUCTURE"))))):
        replies += (yield burst).replies
    having: set[int] = set()
    lacking: set[int] = set()
    unreadable = 0
    for reply in replies:
        if isinstance(reply, RefusedError):
            return set(uids)
        for line in reply.lines("FETCH"):
            octets = _octets_of(line)
            lowered = octets.lower()
            has_word = any(word in lowered for word in words)
            if not has_word and (match := _STRUCTURE_ROW.fullmatch(octets)):
                lacking.add(int(match[1] or match[2]))
                continue
            rows, malformed = parse_rows(Response(untagged={"FETCH": line}))
            unreadable += malformed
            (having if has_word else lacking).update(
                uid for uid, row in rows.items() if row.body_structure is not None
            )
    return set(uids) & having if not unreadable else set(uids) - (lacking - having)


def _octets_of(line: Sequence[Piece]) -> bytes:
    return b"".join(piece if isinstance(piece, bytes) else b"".join(piece) for piece in line)
