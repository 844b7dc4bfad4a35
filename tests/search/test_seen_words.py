"""Why a message was found, and where: a row claims only what is there."""

import unicodedata
from collections.abc import Iterable

import pytest

from mailmcp.tools.evidence import EVIDENCE_OCTETS
from mailmcp.tools.preferences import DEFAULTS
from search.filled import Filled
from search.known_mail import Known
from servers.dovecot import Dovecot, Login
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import dovecot_store

SNIPPET_CHARS = 120

EITHER = pytest.mark.parametrize("server", ["filled_dovecot", "filled_pymap"])


@pytest.fixture
def filled(request: pytest.FixtureRequest, server: str) -> Filled:
    """Known mail on one server."""
    chosen = request.getfixturevalue(server)
    assert isinstance(chosen, Filled)
    chosen.desk.preferences = DEFAULTS
    chosen.desk.forget()
    return chosen


@EITHER
@pytest.mark.parametrize(
    ("arguments", "places", "shown"),
    [
        ({"query": "swordfish180"}, ["body"], "The secret word is swordfish180"),
        ({"body": "secret word"}, ["body"], "The secret word is swordfish"),
        ({"subject": "grüße aus"}, ["subject"], "Viele Grüße aus Zürich"),
        ({"query": "vergrößert"}, ["body"], "Alles vergrößert."),
        ({"query": "mañana"}, ["body"], "Señor Muñoz, hasta mañana."),
        ({"query": "請求書"}, ["subject", "body"], "請求書を送ります。"),
        ({"query": "Отчёт"}, ["subject", "body"], "Привет, Отчёт готов."),
        ({"query": "parcel"}, ["body"], "Your parcel"),
        ({"query": "Marked"}, None, "Plain words of the newsletter"),
        ({"query": "report-8.pdf"}, ["attachment_name"], "See the file."),
        ({"query": "IMG_15.jpg"}, ["attachment_name"], "From the sea."),
        ({"query": "walruses"}, None, "See below."),
        ({"query": "platypuses"}, None, "My notes."),
        ({"from": "Müller", "subject": "Colours"}, ["subject", "from"], "red"),
        ({"any_address": "me@home", "subject": "Colours"}, ["subject", "to"], "red"),
        ({"query": "ZÜRICH colours"}, [], ""),
        ({"subject": "Documents"}, ["subject"], "See the file."),
        ({"unread_only": True, "smaller_than": 330}, None, ""),
        ({"header_message_id": "Msg00024@Mail.example"}, None, ""),
    ],
)
def test_a_row_names_the_places_of_the_words(
    filled: Filled, arguments: dict[str, object], places: list[str] | None, shown: str
) -> None:
    reply = filled.desk.search(snippet_max_chars=SNIPPET_CHARS, limit=5, **arguments)
    rows = reply.data["messages"]
    assert bool(rows) == (places != [])
    for row in rows:
        assert row.get("matched_in") == places
        assert shown in row["snippet"]
        assert len(row["snippet"]) <= SNIPPET_CHARS
        unseen = [each for each in places or () if each not in {"subject", "from", "body"}]
        assert not unseen or f"(found in {', '.join(unseen)})" in reply.text


@EITHER
@pytest.mark.parametrize(
    "words",
    ["example", "hello", "mail", "o", "meeting", "Ann", "text/plain", "Zürich", "red", "Subject", "1"],
)
def test_places_are_where_the_words_are(filled: Filled, words: str) -> None:
    """The whole truth of header fields and names, and nothing but it of texts, of which a part is fetched."""
    rows = filled.desk.search(query=words, snippet_max_chars=SNIPPET_CHARS, limit=100).data["messages"]
    for row in rows:
        message = filled.known[row["uid"]]
        places = set(row.get("matched_in") or ())
        assert places - {"body", "attachment_name"} == set(fields_with(message, words))
        if "body" in places:
            assert holds(words, message.written.texts)
        if "attachment_name" in places:
            assert message.written.files
            assert holds(words, message.written.lines)


def fields_with(message: Known, words: str) -> Iterable[str]:
    fields = {"subject": message.subject, "from": message.from_, "to": message.to, "cc": message.cc}
    return [name for name, value in fields.items() if holds(words, [value])]


def holds(words: str, texts: Iterable[str]) -> bool:
    def same(text: str) -> str:
        return unicodedata.normalize("NFC", text).lower()

    return any(same(words) in same(text) for text in texts)


def test_a_hit_in_the_name_of_a_header_field_is_not_explained_away(filled_dovecot: Filled) -> None:
    """Dovecot finds `MIME-Version` in every message, where no person sees it."""
    rows = filled_dovecot.desk.search(query="MIME-Version", snippet_max_chars=50, limit=30).data["messages"]
    assert len(rows) == 30
    assert not any("matched_in" in row for row in rows)


@pytest.mark.parametrize(("before", "seen"), [(100, True), (EVIDENCE_OCTETS + 1000, False)])
def test_what_was_not_fetched_is_not_said_to_hold_the_word(
    dovecot: Dovecot, dovecot_user: Login, before: int, *, seen: bool
) -> None:
    store = dovecot_store(dovecot, dovecot_user)
    text = "The beginning. " + "filler\n" * (before // 7) + "Here is the needle.\n" + "more\n" * 100
    store.fill("INBOX", [make_letter("Haystack", text).as_bytes()])
    with Desk([store.named("home")]) as desk:
        [row] = desk.search(query="needle", snippet_max_chars=60).data["messages"]
        assert ("needle" in row["snippet"]) == seen
        assert row.get("matched_in") == (["body"] if seen else None)
        assert row["snippet"].startswith("The beginning.") != seen
