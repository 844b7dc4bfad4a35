"""Queries for words, phrases, people and subjects."""

from search.kinds import KEYWORDS, LONG_WORD, ODD
from search.known_mail import Known
from search.query import Matches, Query, any_of, both, everywhere, in_body, in_field, nowhere


def _everything(_message: Known, _rules: object) -> bool:
    return True


def _with_id(message_id: str) -> Matches:
    return lambda message, _rules: message.message_id.lower() == f"<{message_id}>".lower()


def _in_addresses(text: str) -> Matches:
    return any_of(*(in_field(name, text) for name in ("from_", "to", "cc")))


def _words(*texts: str, empty: bool = False) -> list[Query]:
    """Look for all words of each text."""
    return [Query({"query": text}, everywhere(*text.split()), empty=empty) for text in texts]


def _phrases(*texts: str, empty: bool = False) -> list[Query]:
    """Look for each text as a whole."""
    return [Query({"query": f'"{text}"'}, everywhere(text), empty=empty) for text in texts]


def _fields(name: str, *texts: str, empty: bool = False) -> list[Query]:
    """Look for each text in a header field."""
    return [Query({name: text}, in_field(name, text), empty=empty) for text in texts]


def _bodies(*texts: str, empty: bool = False) -> list[Query]:
    return [Query({"body": text}, in_body(text), empty=empty) for text in texts]


EVERYTHING = (
    Query({}, _everything, limit=100),
    Query({"query": "   ", "subject": "Colours"}, in_field("subject", "Colours")),
    Query(
        {"query": "*", "subject": "Colours", "cc": "dave"},
        both(in_field("subject", "Colours"), in_field("cc", "dave")),
    ),
    Query({"exclude": "example zebra"}, nowhere("example", "zebra"), empty=True),
)
WORDS = (
    *_words("swordfish", "SwordFish", "ordfis", "swordfish180", "walruses", "platypuses", "notes.txt"),
    *_words("report-8", "IMG_", "<b>parcel</b>", "parcel delivery", "Marked newsletter", "red green"),
    *_words("invoice hello", "hello alpha.example"),
    *_words("zebra", "hello zebra", "zzz", empty=True),
    *_phrases("red green blue", "red  green", "nested subject"),
    *_phrases("green  blue", empty=True),
    Query({"query": '"" hello'}, everywhere("hello")),
    Query({"query": "alpha.example hello filler"}, everywhere("alpha.example", "hello", "filler"), limit=7),
    Query({"query": "ref00100"}, everywhere("ref00100"), limit=1),
    Query({"query": '"green red" blue'}, everywhere("green red", "blue")),
    Query({"query": '"red green'}, everywhere("red green")),
)
FOREIGN = (
    *_words("Grüße", "grüße zürich", "GRÜßE", "vergrößert", "mañana", "MAÑANA", "請求書", "отчёт", "ПРИВЕТ"),
    *_words("Île-de-France", "☕", "naïve CAFÉ", "café", "cafe\u0301", "Zu\u0308rich"),
    *_words("Zurich", empty=True),
    *_phrases("Straße 1"),
    *_fields("subject", "Grüße aus", "請求書", "Отчёт", "Café"),
    *_bodies("送ります", "hasta mañana"),
    *_fields("from_", "Müller", "山田", "Анна"),
    *_fields("cc", "太郎"),
    Query({"any_address": "Белова"}, _in_addresses("Белова")),
    Query({"query": "Ä" * 100, "subject": "Café"}, everywhere("Ä" * 100), empty=True),
)
ODD_TEXTS = (
    *_words("%", "{5}", "(really) [maybe]", "UNSEEN NOT", "OR ALL NIL"),
    *_phrases(KEYWORDS),
    *_phrases("100*", empty=True),
    *_words("$Forwarded", empty=True),
    *_fields("subject", ODD, 'said "100', "NIL", "1-Jan-2024"),
    *_bodies("\\", 'He said "100%*', LONG_WORD[:200]),
    Query({"query": '"100%*" \\o/'}, everywhere("100%*", "\\o/")),
    Query({"query": "100%* \\o/"}, everywhere("100%", "\\o/")),
    Query({"query": "hell* AND gard*,"}, everywhere("hell", "gard")),
    Query({"subject": "“Grüße aus”"}, in_field("subject", "Grüße aus")),
    Query({"subject": "Ship", "query": LONG_WORD}, both(in_field("subject", "Ship"), everywhere(LONG_WORD))),
    Query({"subject": "Ship", "query": LONG_WORD + "x"}, everywhere(LONG_WORD + "x"), empty=True),
)
PEOPLE = (
    *_fields("from_", "ann@alpha.example", "ANN LEE", "Doe, Carol", "O'Neil", "eve+list"),
    *_fields("from_", "O'Neal", "zoe", empty=True),
    *_fields("cc", '"Doe, Carol" <carol.doe', "dave@"),
    Query({"from_": "beta.example"}, in_field("from_", "beta.example"), limit=50),
    Query({"from_": "Ann Lee <ann@alpha.example>"}, in_field("from_", "Ann Lee")),
    Query({"from_": "Ann Lee (ann@alpha.example)"}, in_field("from_", "Ann Lee")),
    Query({"from_": "Ann Lee <bob@beta.example>"}, in_field("from_", "Ann Lee <bob"), empty=True),
    Query({"from_": "'", "subject": "Scan"}, both(in_field("from_", "'"), in_field("subject", "Scan"))),
    Query({"to": "bob@beta"}, in_field("to", "bob@beta"), limit=99),
    Query({"any_address": "Lee <ann@"}, _in_addresses("Ann Lee")),
    Query({"any_address": "eve o'neil"}, _in_addresses("eve o'neil")),
    Query({"any_address": "carol.doe"}, _in_addresses("carol.doe"), limit=100),
    Query({"any_address": "eve"}, _in_addresses("eve")),
    Query({"header_message_id": "<Msg00077@Mail.example>"}, _with_id("Msg00077@Mail.example")),
    Query({"header_message_id": "msg00077@mail.EXAMPLE"}, _with_id("Msg00077@Mail.example")),
    Query({"header_message_id": "Msg00003@Mail.example"}, _with_id("Msg00003@Mail.example"), limit=1),
    Query({"header_message_id": "Msg0007"}, _with_id("Msg0007"), empty=True),
    *_fields("list_id", "news1.station.example", "STATION NEWS"),
    *_fields("list_id", "other.example", empty=True),
    *_fields("subject", "meeting", "Newsletter 7", "fwd:"),
    *_bodies("swordfish1", "secret word is"),
    *_bodies("Nested subject", empty=True),
    Query({"exclude": "example", "query": "hello"}, nowhere("example"), empty=True),
    Query({"query": "hello", "exclude": "filler"}, both(everywhere("hello"), nowhere("filler"))),
    Query(
        {"subject": "Colours", "exclude": '"red green"'},
        both(in_field("subject", "Colours"), nowhere("red green")),
    ),
    Query({"subject": "Colours", "exclude": "Grüße"}, both(in_field("subject", "Colours"), nowhere("Grüße"))),
)

TABLE = (*EVERYTHING, *WORDS, *FOREIGN, *ODD_TEXTS, *PEOPLE)
