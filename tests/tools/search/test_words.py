"""Texts of a search are divided as callers mean them: at spaces, except in quotes of any style."""

import pytest

from mailmcp.tools.search.words import read_phrase, read_words

AND = frozenset({"AND"})


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
    assert list(read_words(text, ignored=AND)) == words


def test_ignored_operators_are_dropped_between_words() -> None:
    text = "tax OR report | draft AND x"
    assert read_words(text, ignored=AND | {"OR", "|"}) == ("tax", "report", "draft", "x")
    assert read_words(text, ignored=AND) == ("tax", "OR", "report", "|", "draft", "x")


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
