"""Servers whose responses are wrong whatever the keys: none, some, mislabelled, limited."""

from search.traps import (
    ALL,
    EXTENDED,
    FOUND_NONE,
    HEADERS_ONLY,
    INVOICES,
    NONE_EXTENDED,
    UNREAD,
    Trap,
    when,
)
from servers.peer_actions import Respond, Rule

_LIMITED_VIEW = Rule(
    command="EXAMINE",
    action=Respond(b"* 30 EXISTS\r\n* OK [UIDVALIDITY 1700000000] -\r\n{tag} OK -\r\n"),
)
"""The server claims ten more messages than it shows."""

ANSWERS = (
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
        arguments={"unread_only": True, "dates": "written"},
        rules=[
            when("", NONE_EXTENDED),
            Rule(command="UID SORT", action=Respond(b"* SORT\r\n{tag} OK -\r\n")),
        ],
        capabilities=EXTENDED,
        uids=UNREAD,
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
        says=HEADERS_ONLY,
    ),
    Trap(
        server="iCloud, odd lines",
        arguments={"subject": "invoice"},
        rules=[when('SUBJECT "invoice"', b"* SEARCH\r\n* SEARCH 2 7 \r\n* SEARCH 17 12\r\n{tag} OK -\r\n")],
        uids=INVOICES,
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
    ),
    Trap(
        server="Yahoo",
        arguments={"unread_only": True},
        rules=[_LIMITED_VIEW],
        uids=UNREAD,
    ),
    Trap(
        server="Yahoo, sorting",
        arguments={"unread_only": True, "dates": "written"},
        rules=[_LIMITED_VIEW],
        capabilities=EXTENDED,
        uids=UNREAD,
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
        server="a vanishing message",
        arguments={"subject": "invoice"},
        rules=[when('SUBJECT "invoice"', b"* SEARCH 2 7 12 17 99\r\n{tag} OK -\r\n")],
        uids=INVOICES,
        complete=False,
        says="no longer in the mailbox",
    ),
    Trap(
        server="Yahoo, nothing found",
        arguments={"subject": "nothing-such"},
        rules=[_LIMITED_VIEW],
        complete=False,
        says="shows 20 of the 30 messages",
    ),
)
