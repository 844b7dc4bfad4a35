"""What asks nothing is told from what asks something."""

from datetime import UTC, datetime

import pytest

from mailmcp.model.query import SearchQuery, read_phrase, split_words


def test_nothing_asked_is_all() -> None:
    assert SearchQuery().asked == frozenset()
    assert SearchQuery(query="", larger_than=0, unread_only=False, since=None).asked == frozenset()


def test_what_is_asked_is_named() -> None:
    criteria = SearchQuery(from_="ann", flagged=True, smaller_than=5, before=datetime(2024, 1, 1, tzinfo=UTC))
    assert criteria.asked == {"from_", "flagged", "smaller_than", "before"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tax  report", ["tax", "report"]),
        ('tax "annual report" 2024', ["tax", "annual report", "2024"]),
        ('"open end', ["open end"]),
        ('tax "', ["tax"]),
        ('"" tax', ["tax"]),
        ('""', []),
        ("tax*, report; *draft* * ,", ["tax", "report", "draft"]),
        ('"tax*," AND 100%*', ["tax*,", "100%"]),
        ("AND tax AND report AND", ["AND", "tax", "report", "AND"]),
        ('tax "AND" and report', ["tax", "AND", "and", "report"]),
        (
            "“annual report” „Jahresbericht“ «rapport» « comme ça »",
            ["annual report", "Jahresbericht", "rapport", "comme ça"],
        ),
        ('\\"annual report\\" 2024', ["annual report", "2024"]),
        ('“it is "so"” 27"', ['it is "so"', '27"']),
        ('" art "', [" art "]),
    ],
)
def test_words_and_phrases(text: str, words: list[str]) -> None:
    assert split_words("query", text) == words
    assert split_words("exclude", text) == words
    assert split_words("body", text) == [text], "one phrase"


def test_any_of_the_words_is_excluded() -> None:
    assert split_words("exclude", "tax OR report | draft AND x") == ["tax", "report", "draft", "x"]
    assert split_words("query", "tax OR report | x") == ["tax", "OR", "report", "|", "x"]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Ann Lee", "Ann Lee"),
        ('"Sensor drift"', "Sensor drift"),
        ("“Sensor drift”", "Sensor drift"),
        ('\\"Sensor drift\\"', "Sensor drift"),
        ('Re: "drift"', 'Re: "drift"'),
        ('"a" "b"', '"a" "b"'),
        ("*drift*,", "drift"),
        ("Lee, Ann", "Lee, Ann"),
        ("*", ""),
        ("", ""),
        (" x", " x"),
    ],
)
def test_a_phrase_is_what_stands_in_its_quotes(text: str, phrase: str) -> None:
    assert read_phrase(text) == phrase
