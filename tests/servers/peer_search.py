"""How a scripted peer answers UID SEARCH (RFC 3501 section 6.4.4, RFC 4731).

It knows the keys for flags, header fields, text, dates, sizes and UIDs, and their
combinations; no others.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from servers.peer_mailbox import PeerMailbox, PeerMessage
from servers.peer_syntax import MONTHS, Argument, BadCommandError, as_text, format_uids, select_uids

_Test: TypeAlias = Callable[[PeerMessage], bool]

_FLAGS = ("ANSWERED", "DELETED", "DRAFT", "FLAGGED", "SEEN")
_FIELDS = ("BCC", "CC", "FROM", "SUBJECT", "TO")


def search_uids(mailbox: PeerMailbox, keys: list[Argument]) -> list[int]:
    """Return the UIDs of the messages that match all keys, lowest first.

    Raises:
        BadCommandError: A key is unknown or incomplete.
    """
    uids = [message.uid for message in mailbox.messages]
    test = _all_of(iter(keys), uids)
    return [message.uid for message in list(mailbox.messages) if test(message)]


def sort_uids(mailbox: PeerMailbox, sort_keys: list[str], uids: list[int]) -> list[int]:
    """Sort by size, arrival or Date header, upwards; ties in the mailbox's order (RFC 5256 section 3)."""
    values: dict[str, Callable[[PeerMessage], float]] = {
        "SIZE": lambda message: len(message.octets),
        "ARRIVAL": lambda message: message.received.timestamp(),
        "DATE": lambda message: (_written(message) or message.received).timestamp(),
    }
    if len(sort_keys) != 1 or sort_keys[0] not in values:
        raise BadCommandError("Unknown sort key")
    value_of = values[sort_keys[0]]
    ranks = {message.uid: value_of(message) for message in list(mailbox.messages)}
    return sorted(uids, key=lambda uid: ranks[uid])


def format_esearch(tag: str, options: list[str], uids: list[int]) -> bytes:
    """Write an ESEARCH response; empty options mean ALL (RFC 4731 section 3.1)."""
    values = {
        "MIN": str(min(uids, default="")),
        "MAX": str(max(uids, default="")),
        "ALL": format_uids(uids),
        "COUNT": str(len(uids)),
    }
    asked = {option.upper() for option in options} or {"ALL"}
    if not asked <= set(values):
        raise BadCommandError("Unknown search option")
    found = "".join(f" {name} {value}" for name, value in values.items() if name in asked and value)
    return f'* ESEARCH (TAG "{tag}") UID{found}\r\n'.encode()


def _all_of(keys: Iterator[Argument], uids: list[int]) -> _Test:
    tests = [_one(key, keys, uids) for key in keys]
    if not tests:
        raise BadCommandError("A search key was expected")
    return lambda message: all(test(message) for test in tests)


def _one(key: Argument, rest: Iterator[Argument], uids: list[int]) -> _Test:
    """Return the predicate of one key, consuming its arguments from the rest."""
    if isinstance(key, list):
        return _all_of(iter(key), uids)
    match name := key.upper():
        case "ALL":
            return lambda _: True
        case "NOT":
            denied = _one(_next(rest), rest, uids)
            return lambda message: not denied(message)
        case "OR":
            left, right = _one(_next(rest), rest, uids), _one(_next(rest), rest, uids)
            return lambda message: left(message) or right(message)
        case "UID":
            named = set(select_uids(as_text(_next(rest)), uids))
            return lambda message: message.uid in named
        case _:
            return _of_flags(name, rest) or _of_text(name, rest) or _of_measure(name, rest)


def _of_flags(name: str, rest: Iterator[Argument]) -> _Test | None:
    if name == "KEYWORD":
        keyword = _next_text(rest).lower()
        return lambda message: keyword in {flag.lower() for flag in message.flags}
    wanted = not name.startswith("UN")
    flag = name if wanted else name[2:]
    if flag not in _FLAGS:
        return None
    return lambda message: ("\\" + flag.capitalize() in message.flags) == wanted


def _of_text(name: str, rest: Iterator[Argument]) -> _Test | None:
    if name == "TEXT":
        return _holds(_next_text(rest), lambda message: message.octets.decode("utf-8", "replace"))
    if name == "BODY":
        return _holds(_next_text(rest), lambda message: message.body.decode("utf-8", "replace"))
    if name in _FIELDS or name == "HEADER":
        field = _next_text(rest) if name == "HEADER" else name
        needle = _next_text(rest)
        if not needle:
            return lambda message: field in message_from_bytes(message.header)
        return _holds(needle, lambda message: _field(message, field))
    return None


def _of_measure(name: str, rest: Iterator[Argument]) -> _Test:
    match name:
        case "SINCE" | "BEFORE" | "ON":
            day = _date(_next_text(rest))
            return {
                "SINCE": lambda message: message.received.date() >= day,
                "BEFORE": lambda message: message.received.date() < day,
                "ON": lambda message: message.received.date() == day,
            }[name]
        case "SENTSINCE" | "SENTBEFORE":
            limit, is_before = _date(_next_text(rest)), name == "SENTBEFORE"
            return lambda message: (
                (written := _written(message)) is not None and (written.date() < limit) == is_before
            )
        case "LARGER":
            above = int(_next_text(rest))
            return lambda message: len(message.octets) > above
        case "SMALLER":
            below = int(_next_text(rest))
            return lambda message: len(message.octets) < below
        case _:
            raise BadCommandError(f"Unknown search key {name}")


def _written(message: PeerMessage) -> datetime | None:
    """Return its Date header; None if that is missing or malformed."""
    try:
        return parsedate_to_datetime(str(message_from_bytes(message.header)["Date"]))
    except ValueError:
        return None


def _holds(needle: str, text_of: Callable[[PeerMessage], str]) -> _Test:
    return lambda message: needle.lower() in text_of(message).lower()


def _field(message: PeerMessage, name: str) -> str:
    """Return the values of a header field with encoded words decoded (RFC 2047)."""
    values = message_from_bytes(message.header).get_all(name, [])
    return "\n".join(str(make_header(decode_header(str(value)))) for value in values)


def _date(text: str) -> date:
    try:
        day, month, year = text.split("-")
        return date(int(year), MONTHS.index(month.capitalize()) + 1, int(day))
    except ValueError:
        raise BadCommandError("A date was expected") from None


def _next(rest: Iterator[Argument]) -> Argument:
    try:
        return next(rest)
    except StopIteration:
        raise BadCommandError("A search key lacks its argument") from None


def _next_text(rest: Iterator[Argument]) -> str:
    return as_text(_next(rest))
