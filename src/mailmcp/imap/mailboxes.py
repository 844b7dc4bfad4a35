"""LIST and STATUS: the mailboxes of an account, with names, attributes and counts.

RFC 9051 section 6.3.9; SPECIAL-USE by RFC 6154, LIST-STATUS by RFC 5819.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from imapclient.imap_utf7 import decode as decode_utf7

from mailmcp.imap.command import (
    Command,
    Piece,
    RefusedError,
    Response,
    canonical_name,
    encode_mailbox,
)
from mailmcp.imap.errors import format_refusal, refused_error
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.imap.special_use import use_of
from mailmcp.imap.values import parse_line

_COUNTS = b"(MESSAGES UNSEEN)"
_BURST = 50
"""STATUS commands in one burst: the responses fit any socket buffer."""

_LINE_ENDS = re.compile(rb"[\r\n\0]")
"""What no argument may contain, and no command. A name can: in a literal, or in modified UTF-7."""

_MODIFIED_UTF7 = re.compile(rb"(?:[^&\x80-\xff]|&[A-Za-z0-9+,]*-)*(?:&[A-Za-z0-9+,]+)?")
"""Some servers leave out the last hyphen."""

_UNSENDABLE = re.compile(r"[\r\n\0]|\\(?=x(?:0[0ad]|5c))")
"""What would read as a line end, or as what stands for one in a name."""

_UNQUOTED_NAME = re.compile(
    rb"""(?P<before>\([^()]*\)[ ](?:"\\?."|NIL))[ ](?P<name>[^"({\s][^\r\n]*)""", re.IGNORECASE
)
_EXTENDED = re.compile(rb"\S+ \(.*\)")
"""A name without blanks, and extended data items (RFC 5258 section 3)."""

_BLANK = re.compile(rb"[ \t]")
_DELIMITER = re.compile(rb"[!-~]")
_SEVERAL = {"\\Junk", "\\Trash"}
_SPECIAL_USES = ("\\All", "\\Archive", "\\Drafts", "\\Flagged", "\\Junk", "\\Sent", "\\Trash", "\\Important")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """One mailbox as the server lists it."""

    name: str
    """Decoded, with the server's separator."""

    delimiter: str
    """Hierarchy separator; empty in a flat namespace."""

    selectable: bool
    special_use: str = ""
    """Attribute of RFC 6154 as `\\\\Sent`; empty for an ordinary mailbox."""

    special_use_guessed: bool = False
    """Whether `special_use` was guessed from the name, because the server names none."""

    messages: int | None = None
    unseen: int | None = None

    @property
    def is_usual(self) -> bool:
        """Whether a search of all mailboxes covers it: Junk and Trash are searched only by name."""
        return self.selectable and self.special_use not in {"\\Junk", "\\Trash"}

    @property
    def leaf(self) -> str:
        """The last level of the name."""
        return self.name.rpartition(self.delimiter)[2] if self.delimiter else self.name


class CountFailure(NamedTuple):
    """Why a mailbox has no counts."""

    why: str
    retryable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The mailboxes, and why some have no counts, by name."""

    mailboxes: tuple[Mailbox, ...]
    uncounted: dict[str, CountFailure] = field(default_factory=dict)


def list_mailboxes(session: Session, *, with_counts: bool = False) -> tuple[Mailbox, ...]:
    """List every mailbox, INBOX first, then by name; one round trip.

    With `with_counts`, they have counts if the server knows LIST-STATUS; else `count_mailboxes` fetches them.
    """
    response = _list(session, with_counts=with_counts)
    parsed = [each for line in response.lines("LIST") if (each := _parse_mailbox(line)) is not None]
    # Of two spellings of one name, that of RFC 3501 is last, and stays.
    parsed.sort(key=lambda each: _is_canonical(*each))
    for octets, mailbox in parsed:
        _learn_spelling(session, octets, mailbox)
    mailboxes = {mailbox.name: mailbox for _, mailbox in parsed}
    for name, counts in _parse_counts(response).items():
        if name in mailboxes:
            mailboxes[name] = _with_counts(mailboxes[name], counts)
    guessed = _guess_special_uses(mailboxes.values(), session.account.special_uses)
    return tuple(sorted(guessed, key=lambda each: listing_order(each.name)))


def _list(session: Session, *, with_counts: bool) -> Response:
    """Send LIST; again without options if the server advertises and refuses them."""
    options = [b"SPECIAL-USE"] if session.can("SPECIAL-USE") and session.can("LIST-EXTENDED") else []
    options += [b"STATUS " + _COUNTS] if with_counts and session.can("LIST-STATUS") else []
    if options and session.quirks.allows("LIST RETURN"):
        returning = [b"RETURN", b"(" + b" ".join(options) + b")"]
        closing = _close(session) if with_counts else []
        command = Command(name="LIST", arguments=[b'""', b'"*"', *returning])
        *_, reply = session.run_all([*closing, command])
        if isinstance(reply, Response):
            return reply
        if not is_unsupported(reply):
            raise refused_error(session.account.account_id, reply)
        session.quirks.refuse("LIST RETURN")
    return session.run("LIST", b'""', b'"*"')


def _close(session: Session) -> list[Command]:
    """Return the CLOSE to send before counting: counts of an open mailbox may be old.

    See RFC 9051 section 6.3.11. In the same burst it costs no round trip, and the next lease would open the
    mailbox again anyway. CLOSE expunges nothing after EXAMINE.
    """
    if session.mailbox is None:
        return []
    session.mailbox = None
    return [Command(name="CLOSE")]


def listing_order(name: str) -> tuple[bool, str]:
    """Return the sort key of a mailbox: INBOX first, then by name."""
    return (name != "INBOX", name)


def count_mailboxes(session: Session, mailboxes: Sequence[Mailbox]) -> Listed:
    """Add missing counts by STATUS, for many mailboxes in one round trip.

    A mailbox that can't be counted is returned without counts and is in `uncounted`.
    """
    lacking = [each for each in mailboxes if each.selectable and each.messages is None]
    counted: dict[str, Mailbox] = {}
    uncounted: dict[str, CountFailure] = {}
    waiting: RefusedError | None = None
    for start in range(0, len(lacking), _BURST):
        burst = lacking[start : start + _BURST]
        results = [waiting] * len(burst) if waiting else _status(session, burst)
        # More commands would only keep the server busy.
        asking = (each for each in results if isinstance(each, RefusedError) and each.asks_to_wait)
        waiting = next(asking, None)
        # Of all responses together: a server may complete the commands of a burst in any order.
        responses = [each for each in results if isinstance(each, Response)]
        counts = {name: each for response in responses for name, each in _parse_counts(response).items()}
        for mailbox, result in zip(burst, results, strict=True):
            if mailbox.name in counts:
                counted[mailbox.name] = _with_counts(mailbox, counts[mailbox.name])
            elif isinstance(result, RefusedError):
                uncounted[mailbox.name] = CountFailure(format_refusal(result), result.retryable)
            else:
                uncounted[mailbox.name] = CountFailure("the server sent no counts", retryable=True)
    return Listed(mailboxes=tuple(counted.get(each.name, each) for each in mailboxes), uncounted=uncounted)


def _status(session: Session, mailboxes: Sequence[Mailbox]) -> list[Response | RefusedError]:
    closing = _close(session)
    names = [quoted_mailbox(session.quirks, each.name) for each in mailboxes]
    commands = [Command(name="STATUS", arguments=[name, _COUNTS]) for name in names]
    return session.run_all([*closing, *commands])[len(closing) :]


def _parse_mailbox(line: list[Piece]) -> tuple[bytes, Mailbox] | None:
    """Parse a LIST response into the name as sent and the mailbox; None if it is malformed.

    Exchange sends names with blanks and tabs without quotes: the rest of the line is the name.
    """
    try:
        attributes, delimiter, raw_name, *_ = _unquoted_name(line) or parse_line(line)
        attributes = tuple(each.decode("ascii", "replace") for each in attributes)
    except (ValueError, TypeError, AttributeError):
        return None
    lowered = {each.lower() for each in attributes}
    octets = _octets(raw_name)
    return octets, Mailbox(
        name=decode_mailbox(octets),
        # One character or NIL, which `parse_line` recognizes only in capitals.
        delimiter=delimiter.decode()
        if isinstance(delimiter, bytes) and _DELIMITER.fullmatch(delimiter)
        else "",
        selectable=not lowered & {"\\noselect", "\\nonexistent"},
        special_use=next((use for use in _SPECIAL_USES if use.lower() in lowered), ""),
    )


def _unquoted_name(line: list[Piece]) -> tuple[Any, ...]:
    """Parse a LIST response whose name has blanks but no quotes; empty for any other."""
    match = _UNQUOTED_NAME.fullmatch(line[0]) if isinstance(line[0], bytes) else None
    if match is None or not _BLANK.search(match["name"]) or _EXTENDED.fullmatch(match["name"]):
        return ()
    return (*parse_line([match["before"]]), match["name"])


def _octets(raw: object) -> bytes:
    """Return a name as sent; the parser turns digits without quotes into numbers, and NIL into None."""
    return raw if isinstance(raw, bytes) else str(raw).encode()


def _is_canonical(octets: bytes, mailbox: Mailbox) -> bool:
    return encode_mailbox(mailbox.name) == octets


def _learn_spelling(session: Session, octets: bytes, mailbox: Mailbox) -> None:
    """Remember the server's spelling of a name if encoding the name gives another one."""
    if _is_canonical(octets, mailbox):
        session.quirks.raw_names.pop(mailbox.name, None)
    elif not _LINE_ENDS.search(octets):
        session.quirks.raw_names[mailbox.name] = octets


def decode_mailbox(octets: bytes) -> str:
    r"""Decode modified UTF-7, or raw UTF-8. `inbox` in any case is INBOX. Broken ASCII stays as it is.

    Other octets become `\xe9`, so that two broken names stay different. So do CR, LF and NUL, since the name
    is to be sent back as an argument; a backslash that would then be one of these becomes `\x5c`.
    """
    try:
        name = str(decode_utf7(octets)) if _MODIFIED_UTF7.fullmatch(octets) else octets.decode()
        name.encode()  # broken modified UTF-7 can hold half of a surrogate pair
    except ValueError:
        name = octets.decode("utf-8", "backslashreplace")
    return canonical_name(_UNSENDABLE.sub(lambda found: f"\\x{ord(found[0]):02x}", name))


def _parse_counts(response: Response) -> dict[str, dict[bytes, int]]:
    counts: dict[str, dict[bytes, int]] = {}
    for line in response.lines("STATUS"):
        try:
            raw_name, values = parse_line(line)
            pairs = zip(values[::2], values[1::2], strict=True)
            numbers = {key.upper(): int(value) for key, value in pairs}
        except (ValueError, TypeError, AttributeError):
            continue  # the mailbox stays without counts, which is reported
        if all(number >= 0 for number in numbers.values()):
            octets = _octets(raw_name)
            name = decode_mailbox(octets)
            if name not in counts or encode_mailbox(name) == octets:
                counts[name] = numbers
    return counts


def _with_counts(mailbox: Mailbox, counts: dict[bytes, int]) -> Mailbox:
    return replace(mailbox, messages=counts.get(b"MESSAGES"), unseen=counts.get(b"UNSEEN"))


def _guess_special_uses(mailboxes: Collection[Mailbox], configured: Mapping[str, str]) -> list[Mailbox]:
    """Guess from names the special uses that the server names no mailbox for; the least nested mailbox wins.

    Nothing is guessed of a use that the settings know: `configured` has uses by the names of mailboxes.
    Several programs may each have made a Junk and a Trash: all on that level count.
    """
    mailboxes = [
        replace(each, special_use=configured[each.name]) if each.name in configured else each
        for each in mailboxes
    ]
    named = {each.special_use for each in mailboxes}
    depths: dict[str, int] = {}
    guessed: list[Mailbox] = []
    for mailbox in sorted(mailboxes, key=lambda each: (_depth(each), each.name)):
        depth = _depth(mailbox)
        use = use_of(mailbox.leaf)
        several = use in _SEVERAL and depths.get(use) == depth
        if (
            use
            and use not in named
            and not mailbox.special_use
            and mailbox.selectable
            and (use not in depths or several)
        ):
            depths[use] = depth
            guessed.append(replace(mailbox, special_use=use, special_use_guessed=True))
        else:
            guessed.append(mailbox)
    return guessed


def _depth(mailbox: Mailbox) -> int:
    return mailbox.name.count(mailbox.delimiter or "\0")
