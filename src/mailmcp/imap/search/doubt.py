"""Doubt: whether a server that found nothing, or everything, may be believed.

A server is believed when it finds something. When it finds nothing, it is asked for a message that is known
to be there, by a key of the same kind: the sender of a recent message, a word of its subject or of its text.
When it finds messages that don't show what was searched for, it is asked for a word that no message has. The
criteria at which it fails are then checked here, on the messages. So are those that can't be tested: a text
for which no known message can be chosen, kinds of mail, awaited replies. What it once got right isn't tested
again; flags, sizes and times are never doubted.

Strato finds nothing by any key; iCloud, at times, nothing by any string key; Coremail nothing that isn't
ASCII; Yahoo shows some of a large mailbox; Proton Bridge and Purelymail mislabel ESEARCH responses.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from mailmcp.imap.command import Command
from mailmcp.imap.pipeline import Steps, run_steps
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.search.plan import ALL_MESSAGES, search_command, write_keys
from mailmcp.imap.search.server import HIDDEN_MESSAGES_MAX, noise_of, parse_found
from mailmcp.imap.search.values import MailboxPage
from mailmcp.imap.session import Session
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.mime.transfer import complete_lines
from mailmcp.mail.text.body import body_text
from mailmcp.model.query import Criterion, Kind, SearchQuery
from mcp_envelope import ToolError

_KNOWN_MESSAGES: Final = 20
"""Newest messages to choose a known one from: about 30 KB, until the server has passed."""

_TEXT_OCTETS: Final = 800
"""Of each text, for a word to search for; its parts have headers of their own."""

_NONSENSE: Final = "zqxjkvbwpf"
"""In no message."""

_FIELDS: Final = ("FROM", "TO", "CC", "SUBJECT", "CONTENT-TYPE", "CONTENT-TRANSFER-ENCODING")
_ADDRESSES: Final = frozenset({"From", "To", "Cc"})
_Keys = tuple[bytes, ...]
_TEXTS: Final = {Kind.WORDS, Kind.PHRASE, Kind.MESSAGE_ID}
"""What is searched for by one text, such as one that a known message has."""

_MADE_OF_HEADERS: Final = {Kind.MAIL_KIND, Kind.AWAITED_REPLY}
"""Several keys, for which no known message can be chosen: they are checked here until they find something."""

_ASCII_WORD: Final = re.compile(r"(?<![^\W_])[A-Za-z]{4,40}(?![^\W_])")
_FOREIGN_WORD: Final = re.compile(r"[^\W\d_]{4,40}")


def doubt_silence(
    session: Session, query: SearchQuery, found: Sequence[MailboxPage | ToolError]
) -> frozenset[str] | None:
    """Find out whether to believe a server that found nothing in any mailbox.

    Two round trips with ESEARCH; it isn't asked again by kinds of criteria by which it has found something.

    Args:
        session: Used to ask, and to record what was learned.
        query: The criteria that the server was asked for.
        found: What it found in each mailbox.

    Returns:
        None if it is believed; otherwise the names of criteria that it must not be asked for when it is asked
        again, with ALL_MESSAGES if it finds no message at all. Empty if it only hides some: the next search
        says so.
    """
    pages = [each for each in found if isinstance(each, MailboxPage)]
    if any(each.checked for each in pages):
        session.quirks.believed |= {_kind(row, query) for row in query.criteria}
    if any(each.total for each in pages):
        return None  # something matches, or not everything has been searched yet
    largest = max(pages, key=lambda each: each.exists, default=None)
    if largest is None or not largest.exists:
        return None
    session.choose(largest.mailbox, uidvalidity=largest.uidvalidity)
    doubted = run_steps(session, _ask_for_known(session, query, largest))
    hidden = session.quirks.hidden.get(largest.mailbox, largest.exists)
    return doubted if doubted or hidden > HIDDEN_MESSAGES_MAX else None


def _ask_for_known(session: Session, query: SearchQuery, page: MailboxPage) -> Steps[frozenset[str]]:
    """Ask for messages that are known to be in a mailbox; returns what the server must not be asked for."""
    quirks = session.quirks
    rows = {_kind(row, query): row for row in query.criteria if row.kind in _TEXTS | _MADE_OF_HEADERS}
    wanted = {kind: row for kind, row in rows.items() if kind not in quirks.believed}
    known = (yield from _choose_known(wanted, query, page.exists)) if wanted else {}
    doubted = set[str]()
    if page.mailbox not in quirks.hidden:
        known[ALL_MESSAGES] = 0, ()
    found = (yield from _search_each(session, [keys for _, keys in known.values()])) if known else []
    for (kind, (uid, _)), uids in zip(known.items(), found, strict=True):
        if kind == ALL_MESSAGES and uids:
            quirks.hidden[page.mailbox] = page.exists - len(uids)
        elif kind == ALL_MESSAGES:
            doubted.add(ALL_MESSAGES)
        elif uid in uids:
            quirks.believed.add(kind)
    return frozenset(doubted | {row.name for kind, row in wanted.items() if kind not in quirks.believed})


def doubt_noise(session: Session, query: SearchQuery, uids: Sequence[int]) -> Steps[frozenset[str]]:
    """Find out whether to believe a server that found messages which don't show what was searched for.

    One round trip with ESEARCH; none for criteria at which it has passed before.

    Args:
        session: As for `doubt_silence`.
        query: The criteria that the messages don't show.
        uids: The messages.

    Returns:
        The names of criteria by which the server finds what isn't there.
    """
    believed = session.quirks.believed
    rows = {f"{row.name} nonsense": row for row in query.criteria}
    wanted = {kind: row for kind, row in rows.items() if kind not in believed}
    if not wanted:
        return frozenset()
    found = yield from _search_each(session, [_ask(row, _NONSENSE, uids) for row in wanted.values()])
    believed |= {kind for kind, each in zip(wanted, found, strict=True) if not each}
    noisy = [row for kind, row in wanted.items() if kind not in believed]
    for row in noisy:
        session.quirks.refuse(noise_of(row))  # so that the next page is made in the same way
    return frozenset(row.name for row in noisy)


def _kind(row: Criterion, query: SearchQuery) -> str:
    return row.name if query.is_ascii(row) else f"{row.name} in UTF-8"


def _ask(row: Criterion, text: str, uids: Sequence[int]) -> _Keys:
    """Write the keys that look for a text by a criterion, among some messages."""
    value: Any = (text,) if row.kind is Kind.WORDS else text
    within = b"UID", ",".join(map(str, uids)).encode()
    return (*within, *write_keys(row, SearchQuery(**{row.name: value})))


def _choose_known(
    wanted: Mapping[str, Criterion], query: SearchQuery, exists: int
) -> Steps[dict[str, tuple[int, _Keys]]]:
    """Choose for each kind a message and the search that must find it; none where no message will do."""
    names = dict.fromkeys(
        (*_FIELDS, *(each.upper() for row in wanted.values() for each in row.header_fields))
    )
    items = f"(UID BODY.PEEK[HEADER.FIELDS ({' '.join(names)})] BODY.PEEK[TEXT]<0.{_TEXT_OCTETS}>)".encode()
    newest = b"%d:*" % max(exists - _KNOWN_MESSAGES + 1, 1)
    [reply] = (yield [Command(name="FETCH", arguments=[newest, items])]).replies
    rows, _ = parse_rows(reply)
    known = {}
    for kind, row in wanted.items():
        samples = ((uid, next(_texts(row, query, message), "")) for uid, message in rows.items())
        chosen = next(((uid, text) for uid, text in samples if text), None)
        if chosen:
            known[kind] = chosen[0], _ask(row, chosen[1], chosen[:1])
    return known


def _texts(row: Criterion, query: SearchQuery, message: FetchedMessage) -> Iterator[str]:
    """Yield texts of a message by which a criterion must find it."""
    if row.kind in _MADE_OF_HEADERS:
        return
    if row.negated:
        yield _NONSENSE
        return
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    name = next(iter(row.header_fields), "")
    if row.kind is Kind.MESSAGE_ID:
        yield headers.get(name)
    elif not query.is_ascii(row):
        # Encoded, so that every server knows the charset; a text has a declared one.
        encoded = next((raw for raw in headers.raw_all(name or "Subject") if "=?" in raw), "")
        yield from _FOREIGN_WORD.findall(headers.get(name or "Subject")) if encoded else ()
    elif name in _ADDRESSES:
        yield from filter(str.isascii, sorted(addresses_in(headers, name)))
    elif name:
        yield from _longest([raw for raw in headers.raw_all(name) if "=?" not in raw])
    else:
        octets = message.sections.get("TEXT", b"")
        # The last word may be cut, and one that isn't stored as it reads may be no word to a server.
        words = _longest([_start_of_text(message).rpartition(" ")[0]])
        yield from (each for each in words if each.encode() in octets)


def _longest(texts: Sequence[str]) -> list[str]:
    """Return the ASCII words of some texts, the longest first: it is no stop word."""
    return sorted((word for text in texts for word in _ASCII_WORD.findall(text)), key=len, reverse=True)


def _start_of_text(message: FetchedMessage) -> str:
    sections = message.sections
    octets = sections.get("HEADER.FIELDS", b"") + complete_lines(sections.get("TEXT", b""))
    view = parse_message(octets, complete=True)
    parts = choose_text_parts(view.structure)
    return body_text(parts, {part.part_id: view.part_octets(part) or b"" for part in parts.all}).text


def _search_each(session: Session, asked: Sequence[_Keys]) -> Steps[list[Collection[int]]]:
    """Search for each of some keys; one round trip with ESEARCH. What is refused finds nothing."""
    if session.can("ESEARCH"):
        replies = (yield [search_command(keys) for keys in asked]).replies
        return [parse_found(replies, each, extended=True) or () for each in replies]
    found: list[Collection[int]] = []
    for keys in asked:
        # One by one: plain responses don't say whose they are.
        replies = (yield [search_command(keys, returning=b"")]).replies
        found.append(parse_found(replies, replies[0], extended=False) or ())
    return found
