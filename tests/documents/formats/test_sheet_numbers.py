"""Numbers as spreadsheets show them, but dates in ISO 8601."""

import pytest

from mailmcp.documents.formats.sheet_numbers import Formats


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("46347", "yyyy-mm-dd", "2026-11-21"),
        ("46347.5", "dd/mm/yy hh:mm", "2026-11-21 12:00:00"),
        ("0.75", "[h]:mm", "18:00:00"),
        ("46347", '"day "0', "46347"),
        ("46347", "[$-407]0.00", "46347"),
        ("46347", "[Red]0", "46347"),
        ("0.5", "0.00%", "50%"),
        ("-3", "yyyy", "-3"),
        ("9e9", "yyyy", "9000000000"),
        ("1e300", "0", "1e+300"),
        ("inf", "0", "inf"),
        ("nan", "yyyy", "nan"),
        ("not a number", "0", "not a number"),
        ("2.5", "General", "2.5"),
    ],
)
def test_shown_values(value: str, code: str, shown: str) -> None:
    assert Formats(codes={200: code}, styles=[0, 200]).show(value, 1) == shown


def test_built_in_formats_and_styles_that_are_not_there() -> None:
    formats = Formats(styles=[14, 9])
    assert [formats.show("1", style) for style in (0, 1, 2)] == ["1899-12-31", "100%", "1"]


def test_the_other_calendar() -> None:
    """Workbooks of old Macs count from 1904; times of day have no calendar."""
    formats = Formats(since_1904=True, styles=[14])
    assert [formats.show(value, 0) for value in ("1", "0.5")] == ["1904-01-02", "12:00:00"]
