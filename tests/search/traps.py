"""A trap: a real server that searches wrongly, played by the scripted peer, and the right reply."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from search.peer_mail import twenty
from servers.peer_actions import Respond, Rule

PLAIN = ("IMAP4rev1", "LITERAL+")
EXTENDED = (*PLAIN, "ESEARCH", "SORT")

INVOICES = [17, 12, 7, 2]
GREETINGS = [19, 14, 9, 4]
ALL = list(range(20, 0, -1))
UNREAD = [uid for uid in ALL if uid % 4]
UNREAD_LARGEST = sorted(UNREAD, key=lambda uid: (len(twenty()[uid - 1].octets), uid), reverse=True)

FOUND_ALL = b"* SEARCH " + b" ".join(b"%d" % uid for uid in range(1, 21)) + b"\r\n{tag} OK -\r\n"
FOUND_NONE = b"* SEARCH\r\n{tag} OK -\r\n"
NONE_EXTENDED = b'* ESEARCH (TAG "{tag}") UID COUNT 0\r\n{tag} OK -\r\n'


def when(containing: str, answer: bytes) -> Rule:
    """Answer some searches so."""
    return Rule(command="UID SEARCH", containing=containing, action=Respond(answer))


@dataclass(frozen=True, slots=True)
class Trap:
    """One server's way to be wrong, and what comes out."""

    server: str
    arguments: dict[str, object]
    rules: Sequence[Rule] = ()
    uids: Sequence[int] = ()
    _: KW_ONLY
    capabilities: Sequence[str] = PLAIN
    foreign: bool = True
    """Whether some message has non-ASCII letters."""

    plain_text: bool = True
    """Whether some message is a single part of plain text."""

    complete: bool = True
    says: str = ""
    """Part of the text of the reply, or of the error."""

    error: str = ""
    """Its reason, where there is no result."""


VERIFIED = "checked here, message by message"
HEADERS_ONLY = "Words were looked for in subjects and senders only"
NO_CHARSET = "can't search for non-ASCII text"


def in_headers(
    server: str, arguments: dict[str, object], rules: Sequence[Rule], *uids: int, **facts: Any
) -> Trap:
    """Make the trap of a server whose search for words fails, so that only headers are looked at."""
    return Trap(server, arguments, rules, uids, complete=False, says=HEADERS_ONLY, **facts)
