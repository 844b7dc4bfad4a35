"""How a scripted peer answers UID SEARCH and SORT (RFC 3501 section 6.4.4, RFC 4731, RFC 5256).

It knows the keys for flags, header fields, text, dates, sizes and UIDs, and their combinations; no others.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from mailmcp.imap.fetch import format_sequence_set
from servers.peer_mailbox import PeerMailbox, PeerMessage
from servers.peer_syntax import MONTHS, Argument, BadCommandError, select_uids

_Test: TypeAlias = Callable[[PeerMessage], bool]

_FLAGS = ("ANSWERED", "DELETED", "DRAFT", "FLAGGED", "SEEN")


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
    ranks = {message.uid: values[sort_keys[0]](message) for message in list(mailbox.messages)}
    return sorted(uids, key=lambda uid: ranks[uid])


def format_esearch(tag: str, options: list[str], uids: list[int]) -> bytes:
    """Write an ESEARCH response (RFC 4731 section 3.1)."""
    values = {"ALL": format_sequence_set(uids).decode(), "COUNT": f"{len(uids)}"}
    found = "".join(f" {name} {values[name]}" for name in options if values[name])
    return f'* ESEARCH (TAG "{tag}") UID{found}\r\n'.encode()


def _all_of(keys: Iterator[Argument], uids: list[int]) -> _Test:
    tests = [_one(key, keys, uids) for key in keys]
    return lambda message: all(test(message) for test in tests)


def _one(key: Argument, rest: Iterator[Argument], uids: list[int]) -> _Test:  # noqa: PLR0911 - one a kind
    """Return the predicate of one key, consuming its arguments from the rest."""
    if isinstance(key, list):
        return _all_of(iter(key), uids)
    match name := key.upper():
        case "ALL":
            return lambda _: True
        case "NOT":
            denied = _one(next(rest), rest, uids)
            return lambda message: not denied(message)
        case "OR":
            left, right = _one(next(rest), rest, uids), _one(next(rest), rest, uids)
            return lambda message: left(message) or right(message)
        case "UID":
            named = set(select_uids(str(next(rest)), uids))
            return lambda message: message.uid in named
        case "HEADER":
            return _of_field(str(next(rest)), str(next(rest)))
        case _ if (flag := name.removeprefix("UN")) in _FLAGS:
            return lambda message: ("\\" + flag.capitalize() in message.flags) == (flag == name)
        case _:
            return _with_value(name, str(next(rest)))


def _with_value(name: str, value: str) -> _Test:  # noqa: PLR0911 - one a kind
    """Return the predicate of a key with one value."""
    match name:
        case "KEYWORD":
            return lambda message: value.lower() in map(str.lower, message.flags)
        case "TEXT":
            return lambda message: value.lower() in message.octets.decode("utf-8", "replace").lower()
        case "BODY":
            return lambda message: value.lower() in message.body.decode("utf-8", "replace").lower()
        case "BCC" | "CC" | "FROM" | "SUBJECT" | "TO":
            return _of_field(name, value)
        case "SINCE" | "BEFORE":
            return lambda message: (message.received.date() < _date(value)) == (name == "BEFORE")
        case "SENTSINCE" | "SENTBEFORE":
            return lambda message: (
                (written := _written(message)) is not None
                and (written.date() < _date(value)) == (name == "SENTBEFORE")
            )
        case "LARGER":
            return lambda message: len(message.octets) > int(value)
        case "SMALLER":
            return lambda message: len(message.octets) < int(value)
        case _:
            raise BadCommandError(f"Unknown search key {name}")


def _of_field(name: str, value: str) -> _Test:
    """Look for a value in a header field, encoded words decoded (RFC 2047); for the field if it is empty."""

    def test(message: PeerMessage) -> bool:
        fields = message_from_bytes(message.header).get_all(name, [])
        return any(value.lower() in str(make_header(decode_header(str(each)))).lower() for each in fields)

    return test


def _written(message: PeerMessage) -> datetime | None:
    """Return its Date header; None if that is missing or malformed."""
    try:
        return parsedate_to_datetime(str(message_from_bytes(message.header)["Date"]))
    except ValueError:
        return None


def _date(text: str) -> date:
    day, month, year = text.split("-")
    return date(int(year), MONTHS.index(month.capitalize()) + 1, int(day))
