"""The proper answers of a scripted peer: a small IMAP4rev1 server over fixed mailboxes.

It answers what a client that only reads sends, and BAD to the rest. An instance
holds the state of one connection; it touches no socket.
"""

import base64
import binascii
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field

from servers.peer_fetch import format_fetch
from servers.peer_mailbox import PeerMailbox
from servers.peer_search import format_esearch, search_uids, sort_uids
from servers.peer_syntax import (
    Argument,
    BadCommandError,
    as_list,
    as_text,
    format_string,
    parse_arguments,
    select_uids,
)

CAPABILITIES = ("IMAP4rev1", "LITERAL+", "SASL-IR", "AUTH=PLAIN", "ID", "ESEARCH")

_ANY_STATE = ("CAPABILITY", "NOOP", "LOGOUT", "ID", "STARTTLS", "LOGIN", "AUTHENTICATE")


class NoError(Exception):
    """The command is refused; the peer answers NO with this text."""


@dataclass(slots=True, kw_only=True)
class PeerSettings:
    """The settings of a peer; a test can change them while it runs."""

    mailboxes: list[PeerMailbox]
    capabilities: tuple[str, ...]
    capabilities_after_login: tuple[str, ...] | None
    """None if they don't change."""

    user: str
    password: str
    starttls: ssl.SSLContext | None
    """None to refuse STARTTLS, advertised or not."""

    session_limit: int | None = None
    """Maximum of sessions; further logins are refused. None for no limit."""

    sessions: "set[Answers]" = field(default_factory=set)
    """The connections that are logged in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command, as received."""

    tag: str
    name: str
    """In capitals: ``UID FETCH``."""

    raw: bytes
    """What follows the name; see `servers.peer_syntax.parse_arguments`."""


class Answers:
    """The state of one connection, and what it answers.

    Args:
        settings: What the peer is.
        ask: Sends a continuation request and returns the line that follows.
        encrypted: Whether the connection began with TLS.
    """

    def __init__(self, settings: PeerSettings, ask: Callable[[], bytes], *, encrypted: bool) -> None:
        self._settings = settings
        self._ask = ask
        self.encrypted = encrypted
        """Set by the connection, once it has done what `starttls_due` asks for."""

        self.starttls_due = False
        """After the answer to STARTTLS is sent, the handshake follows."""

        self.ended = False
        """After the answer to LOGOUT is sent, the connection closes."""

        self._authenticated = False
        self._selected: PeerMailbox | None = None

    def answer(self, command: Command) -> bytes:
        """Execute a command and return the whole response."""
        try:
            lines, done = self._carry_out(command)
        except BadCommandError as exc:
            lines, done = b"", f"BAD {exc}"
        except NoError as exc:
            lines, done = b"", f"NO {exc}"
        return lines + f"{command.tag} {done}\r\n".encode()

    def uids_named(self, command: Command) -> list[int]:
        """Return the existing UIDs that a UID FETCH names."""
        if self._selected is None or command.name != "UID FETCH":
            return []
        uid_set = command.raw.split(b" ")[0].decode()
        return select_uids(uid_set, [message.uid for message in self._selected.messages])

    def _carry_out(self, command: Command) -> tuple[bytes, str]:
        arguments = parse_arguments(command.raw)
        if not self._authenticated and command.name not in _ANY_STATE:
            raise BadCommandError("Log in first")
        match command.name:
            case "STARTTLS" | "LOGIN" | "AUTHENTICATE":
                return self._begin(command.name, arguments)
            case "LIST" | "STATUS" | "EXAMINE":
                return self._of_mailboxes(command.name, arguments)
            case "UID SEARCH" | "UID SORT" | "UID FETCH" | "FETCH" | "CLOSE":
                return self._of_selected(command, arguments)
            case _:
                return self._at_any_time(command.name)

    def _at_any_time(self, name: str) -> tuple[bytes, str]:
        match name:
            case "CAPABILITY":
                return f"* CAPABILITY {' '.join(self._capabilities())}\r\n".encode(), "OK Capability done"
            case "ID":
                return b'* ID ("name" "peer")\r\n', "OK ID done"
            case "NOOP":
                return b"", "OK NOOP done"
            case "LOGOUT":
                self.ended = True
                return b"* BYE Logging out\r\n", "OK Logout done"
            case _:
                raise BadCommandError("Unknown command")

    def _begin(self, name: str, arguments: list[Argument]) -> tuple[bytes, str]:
        if name == "STARTTLS":
            if self._settings.starttls is None or self.encrypted:
                raise NoError("TLS is not available")
            self.starttls_due = True
            return b"", "OK Begin TLS negotiation now"
        if "LOGINDISABLED" in self._capabilities():
            raise NoError("[PRIVACYREQUIRED] Not without TLS")
        given = self._read_plain(arguments) if name == "AUTHENTICATE" else _credentials(arguments)
        if given != (self._settings.user, self._settings.password):
            raise NoError("[AUTHENTICATIONFAILED] Authentication failed")
        limit = self._settings.session_limit
        if limit is not None and len(self._settings.sessions) >= limit:
            raise NoError("[LIMIT] Maximum number of connections from user+IP exceeded")
        self._settings.sessions.add(self)
        self._authenticated = True
        return b"", "OK Logged in"

    def _of_mailboxes(self, name: str, arguments: list[Argument]) -> tuple[bytes, str]:
        match name, arguments:
            case "LIST", [str(reference), str(pattern)]:
                return self._list(reference + pattern), "OK List done"
            case "STATUS", [str(mailbox), list(items)]:
                return _format_status(self._find(mailbox), as_list(items)), "OK Status done"
            case "EXAMINE", [str(mailbox)]:
                self._selected = None  # also when it fails: RFC 3501 section 6.3.1
                self._selected = self._find(mailbox)
                return _format_selected(self._selected), "OK [READ-ONLY] Examine done"
            case _:
                raise BadCommandError(f"Arguments of {name}")

    def _of_selected(self, command: Command, arguments: list[Argument]) -> tuple[bytes, str]:
        if self._selected is None:
            raise BadCommandError("No mailbox is selected")
        match command.name, arguments:
            case "CLOSE", []:
                self._selected = None
                return b"", "OK Mailbox closed"
            case "UID SEARCH", keys if keys:
                return self._search(self._selected, command.tag, keys), "OK Search done"
            case "UID SORT", [list(by), str(charset), *keys] if keys and "SORT" in self._capabilities():
                _check_charset(charset)
                uids = sort_uids(self._selected, as_list(by), search_uids(self._selected, keys))
                return "".join(["* SORT", *(f" {uid}" for uid in uids), "\r\n"]).encode(), "OK Sort done"
            case "UID FETCH" | "FETCH", [str(numbers), items]:
                wanted = [items] if isinstance(items, str) else as_list(items)
                by_uid = command.name == "UID FETCH"
                return _fetch(self._selected, numbers, wanted, by_uid=by_uid), "OK Fetch done"
            case _:
                raise BadCommandError(f"Arguments of {command.name}")

    def _search(self, mailbox: PeerMailbox, tag: str, keys: list[Argument]) -> bytes:
        options: list[str] | None = None
        if keys[0] == "RETURN" and "ESEARCH" in self._capabilities():
            options, keys = as_list(keys[1]), keys[2:]
        if keys and keys[0] == "CHARSET":
            _check_charset(as_text(keys[1]))
            keys = keys[2:]
        uids = search_uids(mailbox, keys)
        if options is not None:
            return format_esearch(tag, options, uids)
        return "".join(["* SEARCH", *(f" {uid}" for uid in uids), "\r\n"]).encode()

    def _list(self, pattern: str) -> bytes:
        wildcards = {"*": ".*", "%": "[^/]*"}
        wanted = re.compile("".join(wildcards.get(char, re.escape(char)) for char in pattern))
        return b"".join(
            b'* LIST (%b) "/" %b\r\n'
            % (
                " ".join(mailbox.attributes).encode(),
                format_string(mailbox.name) if mailbox.quoted else mailbox.name.encode(),
            )
            for mailbox in self._settings.mailboxes
            if wanted.fullmatch(mailbox.name)
        )

    def _find(self, name: str) -> PeerMailbox:
        for mailbox in self._settings.mailboxes:
            if name == mailbox.name or name.upper() == mailbox.name == "INBOX":
                return mailbox
        raise NoError("[NONEXISTENT] No such mailbox")

    def _capabilities(self) -> list[str]:
        now = self._settings.capabilities
        if self._authenticated and self._settings.capabilities_after_login is not None:
            now = self._settings.capabilities_after_login
        hidden = ("STARTTLS", "LOGINDISABLED") if self.encrypted else ()
        offered = [] if self.encrypted or self._settings.starttls is None else ["STARTTLS"]
        return [*(name for name in now if name not in hidden and name not in offered), *offered]

    def _read_plain(self, arguments: list[Argument]) -> tuple[str, str]:
        """Read the credentials of AUTHENTICATE PLAIN (RFC 4616), which may follow a continuation."""
        mechanism, *initial = [as_text(argument) for argument in arguments] or [""]
        if mechanism.upper() != "PLAIN":
            raise NoError("Unknown mechanism")
        try:
            _, user, password = base64.b64decode(initial[0] if initial else self._ask()).decode().split("\0")
        except (binascii.Error, ValueError):
            raise BadCommandError("Not a PLAIN response") from None
        return user, password


def _credentials(arguments: list[Argument]) -> tuple[str, str]:
    match arguments:
        case [str(user), str(password)]:
            return user, password
        case _:
            raise BadCommandError("Arguments of LOGIN")


def _format_status(mailbox: PeerMailbox, items: list[str]) -> bytes:
    values = {
        "MESSAGES": len(mailbox.messages),
        "UIDNEXT": mailbox.uidnext,
        "UIDVALIDITY": mailbox.uidvalidity,
        "UNSEEN": mailbox.unseen,
    }
    if unknown := [item for item in items if item.upper() not in values]:
        raise BadCommandError(f"Unknown status item {unknown[0]}")
    pairs = " ".join(f"{item.upper()} {values[item.upper()]}" for item in items)
    return b"* STATUS %b (%b)\r\n" % (format_string(mailbox.name), pairs.encode())


def _format_selected(mailbox: PeerMailbox) -> bytes:
    return (
        "* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)\r\n"
        "* OK [PERMANENTFLAGS ()] No changes\r\n"
        f"* {len(mailbox.messages)} EXISTS\r\n"
        f"* OK [UIDVALIDITY {mailbox.uidvalidity}] UIDs valid\r\n"
        f"* OK [UIDNEXT {mailbox.uidnext}] Next UID\r\n"
    ).encode()


def _check_charset(name: str) -> None:
    if name.upper() not in ("UTF-8", "US-ASCII"):
        raise NoError("[BADCHARSET (US-ASCII UTF-8)] Unknown charset")


def _fetch(mailbox: PeerMailbox, numbers: str, items: list[str], *, by_uid: bool) -> bytes:
    numbered = list(enumerate(list(mailbox.messages), start=1))
    wanted = set(select_uids(numbers, [message.uid if by_uid else number for number, message in numbered]))
    return b"".join(
        format_fetch(number, message, items)
        for number, message in numbered
        if (message.uid if by_uid else number) in wanted
    )
