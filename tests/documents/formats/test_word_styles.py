"""Styles that change what is read."""

import pytest

from mailmcp.documents.formats.word import Style, is_on, outline_level, read_styles
from mailmcp.documents.xml_stream import End, Start


def _style(*properties: tuple[str, str]) -> dict[str, Style]:
    events = [Start(name, {"val": value}) for name, value in properties]
    return read_styles(
        [Start("name", {"val": "heading 1"}), Start("style", {"styleId": "S"}), End("x"), *events]
    )


@pytest.mark.parametrize(
    ("properties", "style"),
    [
        ([("name", "heading 3")], Style(heading=3)),
        ([("name", "Title")], Style(heading=1)),
        ([("outlineLvl", "1")], Style(heading=2)),
        ([("name", "heading 2"), ("numId", "5")], Style(heading=2, is_list=True)),
        ([("vanish", "1")], Style(hidden=True)),
        ([("vanish", "0")], Style()),
    ],
)
def test_what_a_style_says(properties: list[tuple[str, str]], style: Style) -> None:
    assert _style(*properties) == {"S": style}


def test_a_style_that_says_nothing_is_not_kept() -> None:
    assert _style(("name", "Normal"), ("color", "FF0000")) == {}


def test_levels_and_switches() -> None:
    assert [outline_level(value) for value in ("0", "8", "9", "", "x", "\u0661")] == [1, 9, 0, 0, 0, 0]
    assert [is_on({"val": value}) for value in ("1", "true", "on", "0", "off", "False")] == [True] * 3 + [
        False
    ] * 3
    assert is_on({})
