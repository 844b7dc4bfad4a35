"""Words are asked for in the best way that the server is not known to get wrong."""

import pytest

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.words import WordsAsked, ask_words, word_keys
from mailmcp.model.feature import Feature


@pytest.mark.parametrize(
    ("name", "wrong", "asked"),
    [
        ("query", (), WordsAsked.AS_MEANT),
        ("query", (Feature.BODY, Feature.NOT), WordsAsked.AS_MEANT),
        ("query", (Feature.TEXT,), WordsAsked.IN_HEADERS),
        ("query", (Feature.TEXT, Feature.SUBJECT), WordsAsked.HERE),
        ("query", (Feature.TEXT, Feature.FROM), WordsAsked.HERE),
        ("exclude", (), WordsAsked.AS_MEANT),
        ("exclude", (Feature.TEXT,), WordsAsked.IN_HEADERS),
        ("exclude", (Feature.NOT,), WordsAsked.HERE),
        ("body", (), WordsAsked.AS_MEANT),
        ("body", (Feature.BODY,), WordsAsked.AS_TEXT),
        ("body", (Feature.TEXT,), WordsAsked.IN_HEADERS),
        ("body", (Feature.BODY, Feature.TEXT, Feature.SUBJECT), WordsAsked.HERE),
    ],
)
def test_words_are_asked_for_as_the_server_can(
    name: str, wrong: tuple[Feature, ...], asked: WordsAsked
) -> None:
    quirks = Quirks()
    for feature in wrong:
        quirks.distrust(feature)
    assert ask_words(name, quirks) is asked
    assert asked.headers_only == (asked in {WordsAsked.IN_HEADERS, WordsAsked.HERE})


def test_a_body_that_is_found_needs_no_text() -> None:
    quirks = Quirks(verdicts={Feature.BODY: Verdict.OK, Feature.TEXT: Verdict.WRONG})
    assert ask_words("body", quirks) is WordsAsked.AS_MEANT


@pytest.mark.parametrize(
    ("name", "asked", "keys"),
    [
        ("query", WordsAsked.AS_MEANT, 'TEXT "a" TEXT "b c"'),
        ("exclude", WordsAsked.AS_MEANT, 'NOT TEXT "a" NOT TEXT "b c"'),
        ("exclude", WordsAsked.IN_HEADERS, 'NOT OR SUBJECT "a" FROM "a" NOT OR SUBJECT "b c" FROM "b c"'),
        ("body", WordsAsked.AS_MEANT, r'BODY "a \"b c\""'),
        ("body", WordsAsked.AS_TEXT, r'TEXT "a \"b c\""'),
    ],
)
def test_words_are_written_as_keys(name: str, asked: WordsAsked, keys: str) -> None:
    assert b" ".join(word_keys(name, 'a "b c"', asked)).decode() == keys
