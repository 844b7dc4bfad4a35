"""Words, days and sizes are read as people write them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.tools.search.values import parse_phrase, parse_words, start_of

BERLIN = ZoneInfo("Europe/Berlin")
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
        ("tax OR report | draft AND x", ["tax", "OR", "report", "|", "draft", "x"]),
        ("AND tax AND report AND", ["AND", "tax", "report", "AND"]),
        ('tax "AND" and report', ["tax", "AND", "and", "report"]),
        (
            "“annual report” „Jahresbericht“ «rapport» « comme ça »",
            ["annual report", "Jahresbericht", "rapport", "comme ça"],
        ),
        ('\\"annual report\\" 2024', ["annual report", "2024"]),
        ('“it is "so"” 27"', ['it is "so"', '27"']),
        ('" art "', [" art "]),
        ('"', []),
        ('" " tax « »', ["tax"]),
        ("- ...", ["-", "..."]),
    ],
)
def test_words_and_phrases(text: str, words: list[str]) -> None:
    assert list(parse_words(text, ignored=AND)) == words


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
        ('" "', ""),
        ("-", "-"),
    ],
)
def test_a_phrase_is_the_text_between_its_quotes(text: str, phrase: str) -> None:
    assert parse_phrase(text) == phrase


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", None),
        ("soon", None),
        ("2026-1-5", None),
        ("2026-02-30", None),
        ("2024-07-01", "2024-06-30T22:00:00"),
        ("2024-07-01T10:00:00+05:00", "2024-07-01T05:00:00"),
        ("2024-07-01 10:00z", "2024-07-01T10:00:00"),
        ("0001-01-01", f"{YEAR_FIRST - 1}-12-31T23:00:00"),
        ("9999-12-31T23:59:59Z", f"{YEAR_LAST}-12-30T00:00:00"),
    ],
)
def test_a_day_starts_in_the_zone_and_a_moment_is_itself(text: str, starts: str | None) -> None:
    started = start_of(text, BERLIN)
    if starts is None:
        assert started is None
    else:
        assert started is not None
        # 1900 had local mean time, which is not what this is about.
        assert abs((started - datetime.fromisoformat(starts).replace(tzinfo=UTC)).total_seconds()) < 3600
