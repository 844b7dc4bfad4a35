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
    Query({"query": "swordfish"}, everywhere("swordfish")),
    Query({"query": "SwordFish"}, everywhere("swordfish")),
    Query({"query": "ordfis"}, everywhere("ordfis")),
    Query({"query": "swordfish180"}, everywhere("swordfish180")),
    Query({"query": '"" hello'}, everywhere("hello")),
    Query({"query": "invoice hello"}, everywhere("invoice", "hello")),
    Query({"query": "hello alpha.example"}, everywhere("hello", "alpha.example")),
    Query({"query": "alpha.example hello filler"}, everywhere("alpha.example", "hello", "filler"), limit=7),
    Query({"query": "ref00100"}, everywhere("ref00100"), limit=1),
    Query({"query": "zebra"}, everywhere("zebra"), empty=True),
    Query({"query": "hello zebra"}, everywhere("hello", "zebra"), empty=True),
    Query({"query": '"red green blue"'}, everywhere("red green blue")),
    Query({"query": '"green red" blue'}, everywhere("green red", "blue")),
    Query({"query": '"green  blue"'}, everywhere("green  blue"), empty=True),
    Query({"query": '"red  green"'}, everywhere("red  green")),
    Query({"query": "red green"}, everywhere("red", "green")),
    Query({"query": '"red green'}, everywhere("red green")),
    Query({"query": "walruses"}, everywhere("walruses")),
    Query({"query": '"nested subject"'}, everywhere("nested subject")),
    Query({"query": "platypuses"}, everywhere("platypuses")),
    Query({"query": "notes.txt"}, everywhere("notes.txt")),
    Query({"query": "report-8"}, everywhere("report-8")),
    Query({"query": "IMG_"}, everywhere("IMG_")),
    Query({"query": "<b>parcel</b>"}, everywhere("<b>parcel</b>")),
    Query({"query": "parcel delivery"}, everywhere("parcel", "delivery")),
    Query({"query": "Marked newsletter"}, everywhere("Marked", "newsletter")),
    Query({"query": "zzz"}, everywhere("zzz"), empty=True),
)
FOREIGN = (
    Query({"query": "Grüße"}, everywhere("Grüße")),
    Query({"query": "grüße zürich"}, everywhere("grüße", "zürich")),
    Query({"query": "GRÜßE"}, everywhere("GRÜßE")),
    Query({"query": "vergrößert"}, everywhere("vergrößert")),
    Query({"query": '"Straße 1"'}, everywhere("Straße 1")),
    Query({"query": "mañana"}, everywhere("mañana")),
    Query({"query": "MAÑANA"}, everywhere("MAÑANA")),
    Query({"query": "請求書"}, everywhere("請求書")),
    Query({"query": "отчёт"}, everywhere("отчёт")),
    Query({"query": "ПРИВЕТ"}, everywhere("ПРИВЕТ")),
    Query({"query": "Île-de-France"}, everywhere("Île-de-France")),
    Query({"query": "☕"}, everywhere("☕")),
    Query({"query": "naïve CAFÉ"}, everywhere("naïve", "CAFÉ")),
    Query({"query": "café"}, everywhere("café")),
    Query({"query": "cafe\u0301"}, everywhere("cafe\u0301")),
    Query({"query": "Zu\u0308rich"}, everywhere("Zu\u0308rich")),
    Query({"query": "Zurich"}, everywhere("Zurich"), empty=True),
    Query({"subject": "Grüße aus"}, in_field("subject", "Grüße aus")),
    Query({"subject": "請求書"}, in_field("subject", "請求書")),
    Query({"subject": "Отчёт"}, in_field("subject", "Отчёт")),
    Query({"subject": "Café"}, in_field("subject", "Café")),
    Query({"body": "送ります"}, in_body("送ります")),
    Query({"body": "hasta mañana"}, in_body("hasta mañana")),
    Query({"from_": "Müller"}, in_field("from_", "Müller")),
    Query({"from_": "山田"}, in_field("from_", "山田")),
    Query({"from_": "Анна"}, in_field("from_", "Анна")),
    Query({"cc": "太郎"}, in_field("cc", "太郎")),
    Query({"any_address": "Белова"}, _in_addresses("Белова")),
    Query({"query": "Ä" * 100, "subject": "Café"}, everywhere("Ä" * 100), empty=True),
)
ODD_TEXTS = (
    Query({"query": '"100%*" \\o/'}, everywhere("100%*", "\\o/")),
    Query({"query": "100%* \\o/"}, everywhere("100%", "\\o/")),
    Query({"query": "%"}, everywhere("%")),
    Query({"query": '"100*"'}, everywhere("100*"), empty=True),
    Query({"query": "hell* AND gard*,"}, everywhere("hell", "gard")),
    Query({"subject": "“Grüße aus”"}, in_field("subject", "Grüße aus")),
    Query({"query": "{5}"}, everywhere("{5}")),
    Query({"query": "(really) [maybe]"}, everywhere("(really)", "[maybe]")),
    Query({"subject": ODD}, in_field("subject", ODD)),
    Query({"subject": 'said "100'}, in_field("subject", 'said "100')),
    Query({"body": "\\"}, in_body("\\")),
    Query({"body": 'He said "100%*'}, in_body('He said "100%*')),
    Query({"query": "UNSEEN NOT"}, everywhere("UNSEEN", "NOT")),
    Query({"query": "OR ALL NIL"}, everywhere("OR", "ALL", "NIL")),
    Query({"query": f'"{KEYWORDS}"'}, everywhere(KEYWORDS)),
    Query({"subject": "NIL"}, in_field("subject", "NIL")),
    Query({"subject": "1-Jan-2024"}, in_field("subject", "1-Jan-2024")),
    Query({"subject": "Ship", "query": LONG_WORD}, both(in_field("subject", "Ship"), everywhere(LONG_WORD))),
    Query(
        {"subject": "Ship", "query": LONG_WORD + "x"},
        both(in_field("subject", "Ship"), everywhere(LONG_WORD + "x")),
        empty=True,
    ),
    Query({"body": LONG_WORD[:200]}, in_body(LONG_WORD[:200])),
    Query({"query": "$Forwarded"}, everywhere("$Forwarded"), empty=True),
)
PEOPLE = (
    Query({"from_": "ann@alpha.example"}, in_field("from_", "ann@alpha.example")),
    Query({"from_": "ANN LEE"}, in_field("from_", "ann lee")),
    Query({"from_": "beta.example"}, in_field("from_", "beta.example"), limit=50),
    Query({"from_": "Doe, Carol"}, in_field("from_", "Doe, Carol")),
    Query({"from_": "O'Neil"}, in_field("from_", "O'Neil")),
    Query({"from_": "Ann Lee <ann@alpha.example>"}, in_field("from_", "Ann Lee")),
    Query({"from_": "Ann Lee (ann@alpha.example)"}, in_field("from_", "Ann Lee")),
    Query({"any_address": "Lee <ann@"}, _in_addresses("Ann Lee")),
    Query({"from_": "Ann Lee <bob@beta.example>"}, in_field("from_", "Ann Lee <bob"), empty=True),
    Query({"any_address": "eve o'neil"}, _in_addresses("eve o'neil")),
    Query({"cc": '"Doe, Carol" <carol.doe'}, in_field("cc", '"Doe, Carol" <carol.doe')),
    Query({"from_": "'", "subject": "Scan"}, both(in_field("from_", "'"), in_field("subject", "Scan"))),
    Query({"from_": "O'Neal"}, in_field("from_", "O'Neal"), empty=True),
    Query({"from_": "eve+list"}, in_field("from_", "eve+list")),
    Query({"from_": "zoe"}, in_field("from_", "zoe"), empty=True),
    Query({"to": "bob@beta"}, in_field("to", "bob@beta"), limit=99),
    Query({"cc": "dave@"}, in_field("cc", "dave@")),
    Query({"any_address": "carol.doe"}, _in_addresses("carol.doe"), limit=100),
    Query({"any_address": "eve"}, _in_addresses("eve")),
    Query({"header_message_id": "<Msg00077@Mail.example>"}, _with_id("Msg00077@Mail.example")),
    Query({"header_message_id": "Msg00077@Mail.example"}, _with_id("Msg00077@Mail.example")),
    Query({"header_message_id": "msg00077@mail.EXAMPLE"}, _with_id("Msg00077@Mail.example")),
    Query({"header_message_id": "Msg00003@Mail.example"}, _with_id("Msg00003@Mail.example"), limit=1),
    Query({"header_message_id": "Msg0007"}, _with_id("Msg0007"), empty=True),
    Query({"list_id": "news1.station.example"}, in_field("list_id", "news1.station.example")),
    Query({"list_id": "STATION NEWS"}, in_field("list_id", "Station news")),
    Query({"list_id": "other.example"}, in_field("list_id", "other.example"), empty=True),
    Query({"subject": "meeting"}, in_field("subject", "meeting")),
    Query({"subject": "Newsletter 7"}, in_field("subject", "Newsletter 7")),
    Query({"subject": "fwd:"}, in_field("subject", "fwd:")),
    Query({"body": "swordfish1"}, in_body("swordfish1")),
    Query({"body": "secret word is"}, in_body("secret word is")),
    Query({"body": "Nested subject"}, in_body("Nested subject"), empty=True),
    Query({"exclude": "example", "query": "hello"}, nowhere("example"), empty=True),
    Query({"query": "hello", "exclude": "filler"}, both(everywhere("hello"), nowhere("filler"))),
    Query(
        {"subject": "Colours", "exclude": '"red green"'},
        both(in_field("subject", "Colours"), nowhere("red green")),
    ),
    Query({"subject": "Colours", "exclude": "Grüße"}, both(in_field("subject", "Colours"), nowhere("Grüße"))),
)

TABLE = (*EVERYTHING, *WORDS, *FOREIGN, *ODD_TEXTS, *PEOPLE)
