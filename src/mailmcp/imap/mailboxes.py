"""LIST and STATUS: the mailboxes of an account, with names, attributes and counts.

RFC 9051 section 6.3.9; SPECIAL-USE by RFC 6154, LIST-STATUS by RFC 5819.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from imapclient.imap_utf7 import decode as decode_utf7

from mailmcp import limits
from mailmcp.imap.command import (
    Command,
    Piece,
    RefusedError,
    Response,
    canonical_name,
    encode_mailbox,
    parse_line,
)
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.pipeline import in_bursts
from mailmcp.imap.session import Session, quoted_mailbox
from mailmcp.imap.special_use import use_of
from mcp_envelope import ToolError

_COUNTS = b"(MESSAGES UNSEEN)"

_DELIMITER = re.compile(rb"[!-~]")
_LINE_ENDS = re.compile(r"[\r\n\0]")
_MODIFIED_UTF7 = re.compile(rb"(?:[^&\x80-\xff]|&[A-Za-z0-9+,]*-)*(?:&[A-Za-z0-9+,]+)?")
"""Some servers leave out the last hyphen."""

_UNQUOTED_NAME = re.compile(rb"""\([^()]*\) (?:"\\?."|NIL) ([^"({\s][^\r\n]*)""", re.IGNORECASE)
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


def list_mailboxes(session: Session, *, with_counts: bool = False) -> tuple[Mailbox, ...]:
    """List every mailbox, INBOX first, then by name; one round trip.

    With `with_counts`, they have counts if the server knows LIST-STATUS; else `count_mailboxes` fetches them.
    """
    response = _list(session, with_counts=with_counts)
    parsed = [each for line in response.lines("LIST") if (each := _parse_mailbox(line)) is not None]
    mailboxes = {mailbox.name: mailbox for _, mailbox in parsed}
    session.quirks.raw_names = {
        mailbox.name: octets
        for octets, mailbox in parsed
        if encode_mailbox(mailbox.name) != octets and not _LINE_ENDS.search(octets.decode("latin-1"))
    }
    counts, uses = parse_status(response), session.account.special_uses
    for name, mailbox in mailboxes.items():
        use = uses.get(name, mailbox.special_use)
        mailboxes[name] = replace(_with_counts(mailbox, counts.get(name, {})), special_use=use)
    _guess_special_uses(mailboxes)
    return tuple(sorted(mailboxes.values(), key=lambda each: listing_order(each.name)))


def _list(session: Session, *, with_counts: bool) -> Response:
    """Send LIST; again without options if the server advertises and refuses them."""
    options = [b"SPECIAL-USE"] if session.can("SPECIAL-USE") and session.can("LIST-EXTENDED") else []
    options += [b"STATUS " + _COUNTS] if with_counts and session.can("LIST-STATUS") else []
    if options and session.quirks.allows("LIST RETURN"):
        closing = closing_commands(session) if with_counts else []
        arguments = [b'""', b'"*"', b"RETURN", b"(" + b" ".join(options) + b")"]
        *_, reply = session.run_all([*closing, Command(name="LIST", arguments=arguments)])
        if isinstance(reply, Response):
            return reply
        if not reply.is_unsupported:
            raise refused_error(session.account.account_id, reply)
        session.quirks.refuse("LIST RETURN")
    return session.run("LIST", b'""', b'"*"')


def closing_commands(session: Session) -> list[Command]:
    """Return what closes the mailbox before counting: counts of an open one may be old.

    See RFC 9051 section 6.3.11. In the same burst it costs no round trip, and the next lease would open the
    mailbox again anyway. CLOSE expunges nothing after EXAMINE; UNSELECT never does.
    """
    if session.mailbox is None:
        return []
    session.mailbox = None
    return [Command(name="UNSELECT" if session.can("UNSELECT") else "CLOSE")]


def find_special(mailboxes: Iterable[Mailbox], special_use: str) -> str:
    """Return the name of the first mailbox of a special use that can be opened; "" if there is none."""
    fitting = (each.name for each in mailboxes if each.special_use == special_use and each.selectable)
    return next(fitting, "")


def name_special(mailboxes: Sequence[Mailbox], special_use: str, named: Mapping[str, str]) -> str:
    r"""Return the name that a mailbox of a special use has, or is to be made with.

    Args:
        mailboxes: All.
        special_use: Such as `\Drafts`.
        named: The special uses that the settings give to names.
    """
    if name := find_special(mailboxes, special_use):
        return name
    others = [each for each in mailboxes if each.name != "INBOX"]
    # Courier and others have all mailboxes within INBOX.
    inside = [each.delimiter for each in others if each.name.startswith(f"INBOX{each.delimiter or '/'}")]
    prefix = f"INBOX{inside[0]}" if others and len(inside) == len(others) else ""
    return next((name for name, use in named.items() if use == special_use), prefix + special_use[1:])


def usual_names(listing: Sequence[Mailbox]) -> list[str]:
    """Return the names of the mailboxes that a search of all covers."""
    return [each.name for each in listing if each.is_usual][: limits.SEARCH_SOURCES_MAX]


def listing_order(name: str) -> tuple[bool, str]:
    """Return the sort key of a mailbox: INBOX first, then by name."""
    return (name != "INBOX", name)


def count_mailboxes(
    session: Session, mailboxes: Sequence[Mailbox]
) -> tuple[list[Mailbox], dict[str, ToolError]]:
    """Add missing counts by STATUS; one round trip for about a thousand mailboxes.

    Also return why mailboxes can't be counted, by name.
    """
    account_id = session.account.account_id
    lacking = [each for each in mailboxes if each.selectable and each.messages is None]
    names = [quoted_mailbox(session.quirks, each.name) for each in lacking]
    closing = closing_commands(session)
    commands = closing + [Command(name="STATUS", arguments=[name, _COUNTS]) for name in names]
    bursts = in_bursts(commands, lambda each: each.octets)
    replies = [reply for burst in bursts for reply in session.run_all(burst)][len(closing) :]
    # Of all responses together: a server may complete the commands of a burst in any order.
    responses = [each for each in replies if isinstance(each, Response)]
    counts = {name: each for response in responses for name, each in parse_status(response).items()}
    uncounted = {
        mailbox.name: refused_error(account_id, reply)
        if isinstance(reply, RefusedError)
        else protocol_error(account_id, "sent no counts for the mailbox")
        for mailbox, reply in zip(lacking, replies, strict=True)
        if mailbox.name not in counts
    }
    return [_with_counts(each, counts.get(each.name, {})) for each in mailboxes], uncounted


def _parse_mailbox(line: list[Piece]) -> tuple[bytes, Mailbox] | None:
    """Parse a LIST response into the name as sent and the mailbox; None if it is malformed."""
    try:
        attributes, delimiter, name, *more = parse_line(line)
        lowered = {str(each, "ascii", "replace").lower() for each in attributes}
    except (ValueError, TypeError):
        return None
    is_extended = len(more) == 1 and isinstance(more[0], tuple)  # RFC 5258 section 3
    if more and not is_extended and isinstance(line[0], bytes):
        # Exchange: a name with blanks and without quotes is the rest of the line.
        unquoted = _UNQUOTED_NAME.fullmatch(line[0])
        name = unquoted[1] if unquoted else name
    octets = _octets(name)
    has_levels = isinstance(delimiter, bytes) and _DELIMITER.fullmatch(delimiter)
    return octets, Mailbox(
        name=decode_mailbox(octets),
        # One character or NIL, which `parse_line` recognizes only in capitals.
        delimiter=delimiter.decode() if has_levels else "",
        selectable=not lowered & {"\\noselect", "\\nonexistent"},
        special_use=next((use for use in _SPECIAL_USES if use.lower() in lowered), ""),
    )


def _octets(raw: object) -> bytes:
    """Return a name as sent; the parser turns digits without quotes into numbers, and NIL into None."""
    return raw if isinstance(raw, bytes) else str(raw).encode()


def decode_mailbox(octets: bytes) -> str:
    r"""Decode modified UTF-7, or raw UTF-8. `inbox` in any case is INBOX. Broken ASCII stays as it is.

    Other octets become `\xe9`, so that two broken names stay different, and CR, LF and NUL a replacement
    character: no argument may contain them.
    """
    try:
        name = str(decode_utf7(octets)) if _MODIFIED_UTF7.fullmatch(octets) else octets.decode()
        name.encode()  # broken modified UTF-7 can hold half of a surrogate pair
    except ValueError:
        name = octets.decode("utf-8", "backslashreplace")
    return canonical_name(_LINE_ENDS.sub("\ufffd", name))


def parse_status(response: Response) -> dict[str, dict[bytes, int]]:
    """Parse STATUS responses into numbers by mailbox and item; those that are malformed are left out."""
    counts: dict[str, dict[bytes, int]] = {}
    for line in response.lines("STATUS"):
        try:
            raw_name, values = parse_line(line)
            pairs = zip(values[::2], values[1::2], strict=True)
            numbers = {key.upper(): int(value) for key, value in pairs}
        except (ValueError, TypeError, AttributeError):
            continue  # the mailbox stays without counts, which is reported
        if min(numbers.values(), default=0) >= 0:
            counts.setdefault(decode_mailbox(_octets(raw_name)), {}).update(numbers)
    return counts


def _with_counts(mailbox: Mailbox, counts: dict[bytes, int]) -> Mailbox:
    return replace(
        mailbox,
        messages=counts.get(b"MESSAGES", mailbox.messages),
        unseen=counts.get(b"UNSEEN", mailbox.unseen),
    )


def _guess_special_uses(mailboxes: dict[str, Mailbox]) -> None:
    """Guess from names the special uses that neither the server nor the settings name a mailbox for.

    The least nested mailbox wins. Several programs may each have made a Junk and a Trash: all on that level
    count.
    """
    for use in {"\\Archive", "\\Drafts", "\\Junk", "\\Sent", "\\Trash"} - {
        each.special_use for each in mailboxes.values()
    }:
        named_so = sorted(
            (each.name.count(each.delimiter or "\0"), each.name)
            for each in mailboxes.values()
            if each.selectable and not each.special_use and use_of(each.leaf) == use
        )
        for depth, name in named_so[: None if use in {"\\Junk", "\\Trash"} else 1]:
            if depth == named_so[0][0]:
                mailboxes[name] = replace(mailboxes[name], special_use=use, special_use_guessed=True)
