"""Real servers that search wrongly, played by the scripted peer, and what a caller must be told."""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """One server's way to be wrong, and what comes out."""

    server: str
    arguments: dict[str, object]
    rules: Sequence[Rule] = ()
    capabilities: Sequence[str] = PLAIN
    foreign: bool = True
    """Whether some message holds letters beyond ASCII."""

    uids: Sequence[int] = ()
    complete: bool = True
    says: str = ""
    """Part of the text of the reply, or of the error."""

    error: str = ""
    """Its reason, where there is no result."""

    bug: str = ""
    """Why it is known to come out wrong."""


_VERIFIED = "verified here, message by message"
_HEADERS_ONLY = "words were looked for in subjects and senders only"
_NO_CHARSET = "cannot search for text that is not ASCII"

_LIMITED_VIEW = Rule(
    command="EXAMINE",
    action=Respond(b"* 30 EXISTS\r\n* OK [UIDVALIDITY 1700000000] -\r\n{tag} OK -\r\n"),
)
"""Ten more messages are said to be there than the server shows."""

TRAPS = (
    Trap(server="Strato", arguments={}, rules=[when("", FOUND_NONE)], uids=ALL),
    Trap(server="Strato", arguments={}, rules=[when("", NONE_EXTENDED)], capabilities=EXTENDED, uids=ALL),
    Trap(server="Strato", arguments={"subject": "invoice"}, rules=[when("", FOUND_NONE)], uids=INVOICES),
    Trap(server="Strato", arguments={"unread_only": True}, rules=[when("", FOUND_NONE)], uids=UNREAD),
    Trap(
        server="empty ESEARCH",
        arguments={"unread_only": True},
        rules=[when("RETURN", NONE_EXTENDED)],
        capabilities=EXTENDED,
        uids=UNREAD,
    ),
    Trap(
        server="Strato",
        arguments={"unread_only": True, "sort": "oldest"},
        rules=[when("", NONE_EXTENDED)],
        capabilities=EXTENDED,
        uids=UNREAD[::-1],
    ),
    Trap(
        server="Strato, sorting",
        arguments={"unread_only": True, "sort": "largest"},
        rules=[
            when("", NONE_EXTENDED),
            Rule(command="UID SORT", action=Respond(b"* SORT\r\n{tag} OK -\r\n")),
        ],
        capabilities=EXTENDED,
        uids=UNREAD_LARGEST,
    ),
    Trap(
        server="Yahoo",
        arguments={"flagged": True},
        rules=[_LIMITED_VIEW],
        complete=False,
        says="shows 20 of the 30 messages",
    ),
    Trap(server="Strato", arguments={"flagged": True}, rules=[when("", FOUND_NONE)]),
    Trap(server="Strato", arguments={"larger_than": 900}, rules=[when("", FOUND_NONE)], uids=[20, 19, 18]),
    Trap(server="Strato", arguments={"has_attachment": True}, rules=[when("", FOUND_NONE)], uids=[18, 12, 6]),
    Trap(
        server="Strato",
        arguments={"query": "nothing-such"},
        rules=[when("", FOUND_NONE)],
        complete=False,
        says=_HEADERS_ONLY,
    ),
    Trap(
        server="Strato, subjects alone",
        arguments={"subject": "nothing-such"},
        rules=[when("SUBJECT", FOUND_NONE)],
        says=_VERIFIED,
    ),
    Trap(
        server="iCloud", arguments={"larger_than": 900}, rules=[when("LARGER", FOUND_NONE)], uids=[20, 19, 18]
    ),
    Trap(
        server="iCloud", arguments={"larger_than": 900}, rules=[when("LARGER", FOUND_ALL)], uids=[20, 19, 18]
    ),
    Trap(server="iCloud", arguments={"smaller_than": 230}, rules=[when("SMALLER", FOUND_NONE)], uids=[1]),
    Trap(
        server="iCloud",
        arguments={"from": "sender-2@"},
        rules=[when("FROM", FOUND_NONE)],
        uids=[20, 17, 14, 11, 8, 5, 2],
    ),
    Trap(
        server="iCloud",
        arguments={"query": "invoice"},
        rules=[when("TEXT", FOUND_NONE)],
        uids=INVOICES,
        complete=False,
        says=_HEADERS_ONLY,
    ),
    Trap(
        server="iCloud",
        arguments={"header_message_id": "<7@example.org>"},
        rules=[when("HEADER", FOUND_NONE)],
        uids=[7],
    ),
    Trap(
        server="iCloud, odd lines",
        arguments={"subject": "invoice"},
        rules=[when('SUBJECT "invoice"', b"* SEARCH\r\n* SEARCH 2 7 \r\n* SEARCH 17 12\r\n{tag} OK -\r\n")],
        uids=INVOICES,
    ),
    Trap(
        server="Exchange",
        arguments={"subject": "Grüße"},
        rules=[when("CHARSET", b"{tag} NO [BADCHARSET (US-ASCII)] No\r\n")],
        uids=GREETINGS,
    ),
    Trap(
        server="Exchange",
        arguments={"subject": "Grützi"},
        rules=[when("CHARSET", b"{tag} BAD Command Argument Error. 11\r\n")],
        says=_NO_CHARSET,
    ),
    Trap(
        server="Exchange",
        arguments={"query": "Grüße"},
        rules=[when("CHARSET", b"{tag} BAD Command Argument Error. 11\r\n")],
        error="charset_refused",
    ),
    Trap(
        server="Coremail",
        arguments={"subject": "Grüße"},
        rules=[when("CHARSET", FOUND_NONE)],
        uids=GREETINGS,
    ),
    Trap(
        server="Coremail",
        arguments={"query": "Grüße"},
        rules=[when("CHARSET", FOUND_NONE)],
        error="charset_refused",
    ),
    Trap(
        server="Coremail, nothing to probe with",
        arguments={"query": "Grüße"},
        rules=[when("CHARSET", FOUND_NONE)],
        foreign=False,
        says="could not be checked",
    ),
    Trap(
        server="Proton Bridge",
        arguments={"subject": "invoice"},
        rules=[when("RETURN", b"{tag} OK -\r\n")],
        capabilities=EXTENDED,
        uids=INVOICES,
    ),
    Trap(
        server="Purelymail",
        arguments={"subject": "invoice"},
        rules=[when("RETURN", b'* ESEARCH (TAG "other") UID COUNT 0\r\n{tag} OK -\r\n')],
        capabilities=EXTENDED,
        uids=INVOICES,
    ),
    Trap(
        server="a failed EXAMINE",
        arguments={},
        rules=[
            Rule(command="EXAMINE", action=Respond(b"{tag} NO [SERVERBUG] No\r\n")),
            when("", b"{tag} BAD SEARCH illegal in state AUTH\r\n"),
        ],
        error="server_refused",
    ),
    Trap(
        server="Yahoo",
        arguments={},
        rules=[_LIMITED_VIEW],
        uids=ALL,
        complete=False,
        says="shows 20 of the 30 messages",
    ),
    Trap(
        server="Yahoo",
        arguments={"subject": "invoice"},
        rules=[_LIMITED_VIEW],
        uids=INVOICES,
        complete=False,
        bug="only a search for everything, or one that finds nothing, compares what is shown with EXISTS",
    ),
    Trap(
        server="MESSAGELIMIT",
        arguments={"subject": "invoice"},
        rules=[when('SUBJECT "invoice"', b"* SEARCH 12 17\r\n{tag} OK [MESSAGELIMIT 10] Limited\r\n")],
        uids=[17, 12],
        complete=False,
        says="limited number of messages",
    ),
    Trap(
        server="a server that refuses a key",
        arguments={"keyword": "$Forwarded"},
        rules=[when("KEYWORD", b"{tag} NO No such key\r\n")],
        error="server_refused",
    ),
    Trap(
        server="a server that ignores words",
        arguments={"query": "nothing-such"},
        rules=[when("TEXT", FOUND_ALL)],
        complete=False,
        says=_HEADERS_ONLY,
    ),
    Trap(
        server="any but Gmail",
        arguments={"gmail_query": "has:attachment"},
        error="invalid_value",
        says="works with Gmail only",
    ),
    Trap(
        server="a vanishing message",
        arguments={"subject": "invoice"},
        rules=[when('SUBJECT "invoice"', b"* SEARCH 2 7 12 17 99\r\n{tag} OK -\r\n")],
        uids=INVOICES,
        says="no longer in the mailbox",
    ),
    Trap(
        server="wrong dates",
        arguments={"since": "2024-03-02T05:00:00Z", "before": "2024-03-02T07:00:00Z"},
        rules=[when("SINCE", FOUND_NONE)],
        uids=[18, 17],
        says="",
    ),
    Trap(
        server="BODY finds nothing",
        arguments={"body": "Words of 7"},
        rules=[when("BODY", FOUND_NONE)],
        says="could not be checked",
        bug="TEXT is probed, and BODY taken for as good",
    ),
    Trap(
        server="NOT finds everything",
        arguments={"exclude": "invoice"},
        rules=[when("NOT", FOUND_ALL)],
        uids=[uid for uid in ALL if uid not in INVOICES],
        bug="NOT is not probed",
    ),
    Trap(
        server="UNSEEN finds everything",
        arguments={"unread_only": True},
        rules=[when("UNSEEN", FOUND_ALL)],
        uids=UNREAD,
        bug="the flags that come with the rows are not held against the criteria",
    ),
    Trap(
        server="Yahoo, after probes",
        arguments={"subject": "nothing-such"},
        rules=[_LIMITED_VIEW],
        complete=False,
        bug="probes compare ALL with a few known messages, not with EXISTS",
    ),
)
