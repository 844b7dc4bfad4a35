"""Words, days and sizes are read as people write them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mailmcp.limits import YEAR_FIRST, YEAR_LAST
from mailmcp.tools.search.values import parse_moment, parse_octets, parse_phrase, parse_words, start_of

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


def test_ignored_operators_are_dropped_between_words() -> None:
    text = "tax OR report | draft AND x"
    assert parse_words(text, ignored=AND | {"OR", "|"}) == ("tax", "report", "draft", "x")
    assert parse_words(text, ignored=AND) == ("tax", "OR", "report", "|", "draft", "x")


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
    ("text", "days_later", "starts"),
    [
        ("", 0, None),
        ("soon", 0, None),
        ("2024-07-01", 0, "2024-06-30T22:00:00"),
        ("2024-07-01", 1, "2024-07-01T22:00:00"),
        ("2024-07-01T10:00:00+05:00", 0, "2024-07-01T05:00:00"),
        ("0001-01-01", 0, f"{YEAR_FIRST - 1}-12-31T23:00:00"),
        ("9999-12-31T23:59:59Z", 0, f"{YEAR_LAST}-12-30T00:00:00"),
    ],
)
def test_a_day_starts_in_the_zone_and_a_moment_is_itself(
    text: str, days_later: int, starts: str | None
) -> None:
    started = start_of(text, BERLIN, days_later=days_later)
    if starts is None:
        assert started is None
    else:
        assert started is not None
        # 1900 had local mean time, which is not what this is about.
        assert abs((started - datetime.fromisoformat(starts).replace(tzinfo=UTC)).total_seconds()) < 3600


def test_a_moment_is_read_with_its_offset() -> None:
    moment = parse_moment("2026-11-05t09:30z")
    assert moment is not None
    assert moment.isoformat() == "2026-11-05T09:30:00+00:00"
    assert parse_moment("2026-11-05T09:30:00") is None


@pytest.mark.parametrize(
    ("text", "octets"),
    [
        ("200kB", 200_000),
        ("200 KiB", 204_800),
        ("1.5M", 1_500_000),
        ("2GB", 2_000_000_000),
        ("7 bytes", 7),
        ("7 octets", 7),
        ("5", 5),
        ("-5k", None),
        ("5 apples", None),
        ("", None),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, octets: int | None) -> None:
    assert parse_octets(text) == octets
