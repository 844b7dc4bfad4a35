"""The proper answers of a scripted peer: a small IMAP4rev1 server over fixed mailboxes.

It answers what a client sends that reads, or changes mail (`servers.peer_writes`),
and BAD to the rest. An instance holds the state of one connection; it touches no socket.
"""

import base64
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
    format_string,
    parse_arguments,
    select_uids,
)
from servers.peer_writes import append, expunge, store, transfer

CAPABILITIES = ("IMAP4rev1", "LITERAL+", "SASL-IR", "AUTH=PLAIN", "ID", "ESEARCH")


class NoError(Exception):
    """The command is refused; the peer answers NO with this text, after these lines."""

    def __init__(self, text: str, lines: bytes = b"") -> None:
        super().__init__(text)
        self.lines = lines


@dataclass(slots=True, kw_only=True)
class PeerSettings:
    """The settings of a peer; a test can change them while it runs."""

    mailboxes: list[PeerMailbox]
    capabilities: tuple[str, ...]
    user: str
    """Empty for everybody who knows the password."""

    password: str
    starttls: ssl.SSLContext | None
    """None to refuse STARTTLS, advertised or not."""

    traps: set[str] = field(default_factory=set)
    """See `servers.peer_writes`."""


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
        self._code = ""
        """Of the tagged response."""

    def answer(self, command: Command) -> bytes:
        """Execute a command and return the whole response."""
        lines, self._code = b"", ""
        try:
            arguments = parse_arguments(command.raw)
            if not self._authenticated:
                lines = self._begin(command.name, arguments)
            elif self._selected is not None and command.name in _OF_SELECTED:
                lines = self._of_selected(self._selected, command, arguments)
            else:
                lines = self._at_any_time(command.name, arguments)
            done = f"OK {self._code} Done" if self._code else "OK Done"
        except BadCommandError as exc:
            done = f"BAD {exc}"
        except NoError as exc:
            done = f"NO {self._code} {exc}" if self._code else f"NO {exc}"
            lines += exc.lines
        return lines + f"{command.tag} {done}\r\n".encode()

    def uids_named(self, command: Command) -> list[int]:
        """Return the existing UIDs that a UID FETCH names."""
        if self._selected is None or command.name != "UID FETCH":
            return []
        uid_set = command.raw.split(b" ")[0].decode()
        return select_uids(uid_set, [message.uid for message in self._selected.messages])

    def _begin(self, name: str, arguments: list[Argument]) -> bytes:
        match name, arguments:
            case "STARTTLS", []:
                if self._settings.starttls is None or self.encrypted:
                    raise NoError("TLS is not available")
                self.starttls_due = True
            case "LOGIN", [str(user), str(password)]:
                self._log_in(user, password)
            case "AUTHENTICATE", ["PLAIN"]:
                _, user, password = base64.b64decode(self._ask()).decode().split("\0")  # RFC 4616
                self._log_in(user, password)
            case _:
                return self._at_any_time(name, arguments)
        return b""

    def _log_in(self, user: str, password: str) -> None:
        if "LOGINDISABLED" in self._capabilities():
            raise NoError("[PRIVACYREQUIRED] Not without TLS")
        if self._settings.user not in {"", user} or password != self._settings.password:
            raise NoError("[AUTHENTICATIONFAILED] Authentication failed")
        self._authenticated = True

    def _at_any_time(self, name: str, arguments: list[Argument]) -> bytes:  # noqa: PLR0911 - one a command
        match name, arguments:
            case "CAPABILITY", []:
                return f"* CAPABILITY {' '.join(self._capabilities())}\r\n".encode()
            case "ID", _:
                return b'* ID ("name" "peer")\r\n'
            case "NOOP", []:
                return b""
            case "LOGOUT", []:
                self.ended = True
                return b"* BYE Logging out\r\n"
            case "LIST", [str(reference), str(pattern)]:
                return self._list(reference + pattern)
            case "STATUS", [str(mailbox), list(items)]:
                return _format_status(self._find(mailbox), list(map(str, items)))
            case "EXAMINE" | "SELECT", [str(mailbox)]:
                self._selected = None  # also when it fails: RFC 3501 section 6.3.1
                self._selected = self._find(mailbox)
                if name == "EXAMINE":
                    return _format_selected(self._selected)
                self._code = "[READ-ONLY]" if "read-only" in self._settings.traps else "[READ-WRITE]"
                flags = self._selected.permanent_flags
                line = "" if flags is None else f"* OK [PERMANENTFLAGS ({flags})] Limited\r\n"
                return _format_selected(self._selected) + line.encode()
            case "APPEND", _:
                self._code = append(arguments, self._find, self._settings.traps)
                return b""
            case "CREATE", [str(mailbox)]:
                self._settings.mailboxes.append(PeerMailbox(name=mailbox))
                return b""
            case "SUBSCRIBE", [str(mailbox)]:
                self._find(mailbox)
                return b""
            case _:
                raise BadCommandError("Unknown command, or not now")

    def _of_selected(  # noqa: PLR0911 - one a command
        self, mailbox: PeerMailbox, command: Command, arguments: list[Argument]
    ) -> bytes:
        match command.name, arguments:
            case "CLOSE" | "UNSELECT", []:
                self._selected = None
                return b""
            case "UID STORE", _:
                return store(mailbox, arguments, self._settings.traps)
            case "UID EXPUNGE", _:
                return expunge(mailbox, arguments, self._settings.traps)
            case "UID COPY" | "UID MOVE", _:
                return self._transfer(mailbox, arguments, moves=command.name == "UID MOVE")
            case "UID SEARCH", ["RETURN", list(options), *keys] if "ESEARCH" in self._capabilities():
                return format_esearch(
                    command.tag, list(map(str, options)), search_uids(mailbox, _known(keys))
                )
            case "UID SEARCH", keys:
                return _format_uids("SEARCH", search_uids(mailbox, _known(keys)))
            case "UID SORT", [list(by), str(charset), *keys] if "SORT" in self._capabilities():
                uids = search_uids(mailbox, _known(["CHARSET", charset, *keys]))
                return _format_uids("SORT", sort_uids(mailbox, list(map(str, by)), uids))
            case "UID FETCH" | "FETCH", [str(numbers), items]:
                wanted = [items] if isinstance(items, str) else list(map(str, items))
                return _fetch(mailbox, numbers, wanted, by_uid=command.name == "UID FETCH")
            case _:
                raise BadCommandError(f"Arguments of {command.name}")

    def _transfer(self, mailbox: PeerMailbox, arguments: list[Argument], *, moves: bool) -> bytes:
        lines, copyuid, went_well = transfer(
            mailbox, arguments, self._find, self._settings.traps, moves=moves
        )
        self._code = copyuid if "UIDPLUS" in self._capabilities() else ""
        if not went_well:
            raise NoError("Some messages were not moved", lines)
        return lines

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
        offered = [] if self._settings.starttls is None else ["STARTTLS"]
        now = dict.fromkeys([*self._settings.capabilities, *offered])
        hidden = ("STARTTLS", "LOGINDISABLED") if self.encrypted else ()
        return [name for name in now if name not in hidden]


_OF_SELECTED = {
    *("CLOSE", "UNSELECT", "FETCH", "UID FETCH", "UID SEARCH", "UID SORT"),
    *("UID COPY", "UID EXPUNGE", "UID MOVE", "UID STORE"),
}


def _known(keys: list[Argument]) -> list[Argument]:
    """Return search keys without their charset, which must be a known one."""
    match keys:
        case ["CHARSET", str(name), *others]:
            if name.upper() not in {"UTF-8", "US-ASCII"}:
                raise NoError("[BADCHARSET (US-ASCII UTF-8)] Unknown charset")
            return others
        case _:
            return keys


def _format_uids(name: str, uids: list[int]) -> bytes:
    return "".join([f"* {name}", *(f" {uid}" for uid in uids), "\r\n"]).encode()


def _format_status(mailbox: PeerMailbox, items: list[str]) -> bytes:
    values = {
        "MESSAGES": len(mailbox.messages),
        "UNSEEN": mailbox.unseen,
        "UIDVALIDITY": mailbox.uidvalidity,
        "UIDNEXT": mailbox.uidnext,
    }
    pairs = " ".join(f"{item} {values[item]}" for item in items)
    return b"* STATUS %b (%b)\r\n" % (format_string(mailbox.name), pairs.encode())


def _format_selected(mailbox: PeerMailbox) -> bytes:
    return (
        f"* {len(mailbox.messages)} EXISTS\r\n"
        f"* OK [UIDVALIDITY {mailbox.uidvalidity}] UIDs valid\r\n"
        f"* OK [UIDNEXT {mailbox.uidnext}] Next UID\r\n"
    ).encode()


def _fetch(mailbox: PeerMailbox, numbers: str, items: list[str], *, by_uid: bool) -> bytes:
    numbered = list(enumerate(list(mailbox.messages), start=1))
    wanted = set(select_uids(numbers, [message.uid if by_uid else number for number, message in numbered]))
    return b"".join(
        format_fetch(number, message, items)
        for number, message in numbered
        if (message.uid if by_uid else number) in wanted
    )
