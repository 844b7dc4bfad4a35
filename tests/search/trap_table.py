"""Servers that search wrongly, and what comes out."""

from search.traps import (
    ALL,
    EXTENDED,
    FOUND_ALL,
    FOUND_NONE,
    GREETINGS,
    INVOICES,
    NO_CHARSET,
    NONE_EXTENDED,
    UNREAD,
    VERIFIED,
    Trap,
    in_headers,
    when,
)
from servers.peer_actions import Respond, Rule

_LIMITED_VIEW = Rule(
    command="EXAMINE", action=Respond(b"* 30 EXISTS\r\n* OK [UIDVALIDITY 1700000000] -\r\n{tag} OK -\r\n")
)
"""The server claims ten more messages than it shows."""

ANSWERS = (
    Trap("Strato", {}, [when("", FOUND_NONE)], ALL),
    Trap("Strato", {}, [when("", NONE_EXTENDED)], ALL, capabilities=EXTENDED),
    Trap("Strato", {"subject": "invoice"}, [when("", FOUND_NONE)], INVOICES),
    Trap("Strato", {"unread_only": True}, [when("", FOUND_NONE)], UNREAD),
    Trap(
        "empty ESEARCH", {"unread_only": True}, [when("RETURN", NONE_EXTENDED)], UNREAD, capabilities=EXTENDED
    ),
    Trap(
        "Strato",
        {"unread_only": True, "sort": "oldest"},
        [when("", NONE_EXTENDED)],
        UNREAD[::-1],
        capabilities=EXTENDED,
    ),
    Trap(
        "Strato, sorting",
        {"unread_only": True, "dates": "written"},
        [when("", NONE_EXTENDED), Rule(command="UID SORT", action=Respond(b"* SORT\r\n{tag} OK -\r\n"))],
        UNREAD,
        capabilities=EXTENDED,
    ),
    Trap("Yahoo", {"flagged": True}, [_LIMITED_VIEW], complete=False, says="shows 20 of the 30 messages"),
    Trap("Strato", {"flagged": True}, [when("", FOUND_NONE)]),
    Trap("Strato", {"larger_than": 900}, [when("", FOUND_NONE)], [20, 19, 18]),
    Trap("Strato", {"has_attachment": True}, [when("", FOUND_NONE)], [18, 12, 6]),
    in_headers("Strato", {"query": "nothing-such"}, [when("", FOUND_NONE)]),
    Trap(
        "iCloud, odd lines",
        {"subject": "invoice"},
        [when('SUBJECT "invoice"', b"* SEARCH\r\n* SEARCH 2 7 \r\n* SEARCH 17 12\r\n{tag} OK -\r\n")],
        INVOICES,
    ),
    Trap(
        "Proton Bridge",
        {"subject": "invoice"},
        [when("RETURN", b"{tag} OK -\r\n")],
        INVOICES,
        capabilities=EXTENDED,
    ),
    Trap(
        "Purelymail",
        {"subject": "invoice"},
        [when("RETURN", b'* ESEARCH (TAG "other") UID COUNT 0\r\n{tag} OK -\r\n')],
        INVOICES,
        capabilities=EXTENDED,
    ),
    Trap(
        "a failed EXAMINE",
        {},
        [
            Rule(command="EXAMINE", action=Respond(b"{tag} NO [SERVERBUG] No\r\n")),
            when("", b"{tag} BAD SEARCH illegal in state AUTH\r\n"),
        ],
        error="server_refused",
    ),
    Trap("Yahoo", {}, [_LIMITED_VIEW], ALL, complete=False, says="shows 20 of the 30 messages"),
    Trap("Yahoo", {"subject": "invoice"}, [_LIMITED_VIEW], INVOICES),
    Trap("Yahoo", {"unread_only": True}, [_LIMITED_VIEW], UNREAD),
    Trap(
        "Yahoo, sorting",
        {"unread_only": True, "dates": "written"},
        [_LIMITED_VIEW],
        UNREAD,
        capabilities=EXTENDED,
    ),
    Trap(
        "MESSAGELIMIT",
        {"subject": "invoice"},
        [when('SUBJECT "invoice"', b"* SEARCH 12 17\r\n{tag} OK [MESSAGELIMIT 10] Limited\r\n")],
        [17, 12],
        complete=False,
        says="limited number of messages",
    ),
    Trap(
        "a vanishing message",
        {"subject": "invoice"},
        [when('SUBJECT "invoice"', b"* SEARCH 2 7 12 17 99\r\n{tag} OK -\r\n")],
        INVOICES,
        complete=False,
        says="no longer in the mailbox",
    ),
    Trap(
        "Yahoo, nothing found",
        {"subject": "nothing-such"},
        [_LIMITED_VIEW],
        complete=False,
        says="shows 20 of the 30 messages",
    ),
)
"""Responses that are wrong whatever the keys: none, some, mislabelled, limited."""

KEYS = (
    Trap("Strato, subjects alone", {"subject": "nothing-such"}, [when("SUBJECT", FOUND_NONE)], says=VERIFIED),
    Trap("iCloud", {"from": "sender-2@"}, [when("FROM", FOUND_NONE)], [20, 17, 14, 11, 8, 5, 2]),
    in_headers("iCloud", {"query": "invoice"}, [when("BODY", FOUND_NONE)], *INVOICES),
    Trap("iCloud", {"header_message_id": "<7@example.org>"}, [when("HEADER", FOUND_NONE)], [7]),
    Trap(
        "Exchange",
        {"subject": "Grüße"},
        [when("CHARSET", b"{tag} NO [BADCHARSET (US-ASCII)] No\r\n")],
        GREETINGS,
    ),
    Trap(
        "Exchange",
        {"subject": "Grützi"},
        [when("CHARSET", b"{tag} BAD Command Argument Error. 11\r\n")],
        says=NO_CHARSET,
    ),
    Trap(
        "Exchange",
        {"query": "Grüße"},
        [when("CHARSET", b"{tag} BAD Command Argument Error. 11\r\n")],
        GREETINGS,
        complete=False,
        says=NO_CHARSET,
    ),
    Trap("Coremail", {"subject": "Grüße"}, [when("CHARSET", FOUND_NONE)], GREETINGS),
    in_headers("Coremail", {"query": "Grüße"}, [when("CHARSET", FOUND_NONE)], *GREETINGS),
    in_headers(
        "Coremail, no message to ask for", {"query": "Grüße"}, [when("CHARSET", FOUND_NONE)], foreign=False
    ),
    Trap(
        "a server that refuses a key",
        {"keyword": "$Forwarded"},
        [when("KEYWORD", b"{tag} NO No such key\r\n")],
        error="server_refused",
    ),
    in_headers(
        "a server that ignores words",
        {"query": "nothing-such"},
        [when("BODY", FOUND_ALL), when("TEXT", FOUND_ALL)],
    ),
    Trap(
        "any but Gmail",
        {"gmail_query": "has:attachment"},
        error="invalid_value",
        says="works only with Gmail",
    ),
    in_headers("BODY finds nothing", {"body": "Words of 7"}, [when("BODY", FOUND_NONE)]),
    in_headers("BODY finds nothing", {"body": "nothing-such"}, [when("BODY", FOUND_NONE)]),
    in_headers(
        "BODY and TEXT find nothing",
        {"body": "invoice"},
        [when("BODY", FOUND_NONE), when("TEXT", FOUND_NONE)],
        *INVOICES,
    ),
    in_headers(
        "BODY finds nothing, no message to ask for",
        {"body": "Words of 7"},
        [when("BODY", FOUND_NONE)],
        plain_text=False,
    ),
    in_headers(
        "NOT finds everything",
        {"exclude": "invoice"},
        [when("NOT", FOUND_ALL)],
        *[uid for uid in ALL if uid not in INVOICES],
    ),
    in_headers(
        "NOT finds nothing",
        {"exclude": "invoice"},
        [when("NOT", FOUND_NONE)],
        *[uid for uid in ALL if uid not in INVOICES],
    ),
)
"""Single keys of SEARCH that a server gets wrong, or refuses."""
