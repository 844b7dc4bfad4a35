"""Queries for flags, sizes and attachments, in each order, and for several things at once."""

from search.known_mail import Known
from search.query import Matches, Query, both, everywhere, flagged, in_body, in_field, nowhere
from search.rules import Rules

_EDGE = 404
"""Octets of the first message; some others have as many."""


def _unread(message: Known, _rules: Rules) -> bool:
    return "\\Seen" not in message.flags


def _unanswered(message: Known, _rules: Rules) -> bool:
    return "\\Answered" not in message.flags


def _with_files(message: Known, _rules: Rules) -> bool:
    return message.written.files


def _larger(octets: int) -> Matches:
    return lambda message, _rules: message.size > octets


def _smaller(octets: int) -> Matches:
    return lambda message, _rules: message.size < octets


_exactly = both(_larger(_EDGE - 1), _smaller(_EDGE + 1))

FLAGS = (
    Query({"unread_only": True}, _unread, limit=100),
    Query({"flagged": True}, flagged("\\Flagged"), limit=100),
    Query({"answered": True, "flagged": True}, both(flagged("\\Answered"), flagged("\\Flagged"))),
    Query({"unanswered_only": True}, _unanswered, limit=100),
    Query({"unanswered_only": True, "unread_only": True}, both(_unanswered, _unread), limit=50),
    Query({"keyword": "$Forwarded"}, flagged("$Forwarded"), limit=90),
    Query({"keyword": "project-x"}, flagged("project-x")),
    Query({"keyword": "PROJECT-X"}, lambda message, rules: rules.keyword(message, "PROJECT-X")),
    Query({"keyword": "never-set"}, flagged("never-set"), empty=True),
    Query(
        {"keyword": "project-x", "unread_only": True, "flagged": True},
        both(flagged("project-x"), _unread, flagged("\\Flagged")),
    ),
)
SIZES = (
    Query({"larger_than": 40_000}, _larger(40_000), limit=3),
    Query({"larger_than": _EDGE - 1, "smaller_than": _EDGE + 1}, _exactly),
    Query({"larger_than": _EDGE, "smaller_than": _EDGE + 3}, both(_larger(_EDGE), _smaller(_EDGE + 3))),
    Query({"larger_than": _EDGE - 3, "smaller_than": _EDGE}, both(_larger(_EDGE - 3), _smaller(_EDGE))),
    Query({"smaller_than": 370}, _smaller(370)),
    Query({"larger_than": 10_000_000}, _larger(10_000_000), empty=True),
)
FILES = (
    Query({"has_attachment": True}, _with_files, limit=100),
    *(
        Query(
            {"has_attachment": True, "subject": subject},
            both(_with_files, in_field("subject", subject)),
            empty=empty,
        )
        for subject, empty in (
            ("Documents", False),
            ("Picture ", True),
            ("Signed", True),
            ("Fwd", False),
            ("Invitation", True),
            ("Undeliverable", True),
            ("Scan", False),
            ("Photos", False),
            ("Notes", False),
            ("Certified", True),
            ("Overview", False),
        )
    ),
    Query({"has_attachment": True, "larger_than": 550}, both(_with_files, _larger(550)), limit=20),
    Query(
        {"has_attachment": True, "any_address": "bob@beta.example", "unread_only": True},
        both(
            _with_files,
            _unread,
            lambda message, _rules: "bob@beta.example" in message.from_ + message.to + message.cc,
        ),
    ),
)


def _automatic(message: Known, _rules: Rules) -> bool:
    return "noreply@" in message.from_ or message.subject.startswith("Undeliverable")


KINDS = (
    Query({"kind": "automatic"}, _automatic, limit=100),
    Query({"kind": "automatic", "unread_only": True, "sort": "oldest"}, both(_automatic, _unread), limit=90),
    Query({"kind": "newsletter"}, lambda message, _rules: bool(message.list_id), limit=100),
    Query({"kind": "invitation"}, lambda _message, _rules: False, limit=100, empty=True),
)
ORDERS = tuple(
    Query({**query.arguments, "sort": order}, query.matches, limit=limit)
    for order, limit in (("oldest", 7), ("largest", 11))
    for query in (
        Query({"subject": "quarterly"}, in_field("subject", "quarterly")),
        Query({"larger_than": 900}, _larger(900)),
        Query({"query": "vergrößert", "unread_only": True}, both(everywhere("vergrößert"), _unread)),
        Query({"has_attachment": True, "flagged": True}, both(_with_files, flagged("\\Flagged"))),
        Query(
            {"from_": "Doe, Carol", "flagged": True},
            both(in_field("from_", "Doe, Carol"), flagged("\\Flagged")),
        ),
    )
) + tuple(
    Query({"sort": order, "smaller_than": 380}, _smaller(380), limit=100) for order in ("oldest", "largest")
)
TOGETHER = (
    Query(
        {"from_": "Müller", "subject": "Grüße", "unread_only": True, "body": "Straße"},
        both(in_field("from_", "Müller"), in_field("subject", "Grüße"), _unread, in_body("Straße")),
    ),
    Query(
        {"query": 'hello "about garden"', "exclude": "filler Stone", "smaller_than": 420},
        both(everywhere("hello", "about garden"), nowhere("filler", "Stone"), _smaller(420)),
    ),
    Query(
        {"to": "carol", "cc": "anna@", "query": "newsletter", "answered": True},
        both(
            in_field("to", "carol"), in_field("cc", "anna@"), everywhere("newsletter"), flagged("\\Answered")
        ),
        empty=True,
    ),
    Query(
        {"to": "ann", "cc": "dave", "query": "example"},
        both(in_field("to", "ann"), in_field("cc", "dave"), everywhere("example")),
    ),
    Query(
        {"header_message_id": "Msg00003@Mail.example", "unread_only": True},
        both(lambda message, _rules: message.number in {3, 26}, _unread),
    ),
)

TABLE = (*FLAGS, *SIZES, *FILES, *KINDS, *ORDERS, *TOGETHER)
