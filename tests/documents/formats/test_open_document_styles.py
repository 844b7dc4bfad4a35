"""Styles that hide."""

import pytest

from mailmcp.documents.formats.open_document import hidden_styles
from mailmcp.documents.xml_stream import End, Event, Start


@pytest.mark.parametrize(
    ("properties", "attributes", "hides"),
    [
        ("text-properties", {"display": "none"}, True),
        ("table-properties", {"display": "false"}, True),
        ("drawing-page-properties", {"visibility": "hidden"}, True),
        ("text-properties", {"display": "true"}, False),
        ("text-properties", {}, False),
        ("paragraph-properties", {"display": "none"}, False),
    ],
)
def test_what_hides(properties: str, attributes: dict[str, str], hides: bool) -> None:  # noqa: FBT001
    events: list[Event] = [
        Start("style", {"name": "S"}),
        Start(properties, attributes),
        End(properties),
        "text",
    ]
    assert hidden_styles(events) == (frozenset({"S"}) if hides else frozenset())


def test_the_body_is_not_looked_at() -> None:
    assert hidden_styles([Start("body", {}), Start("text-properties", {"display": "none"})]) == frozenset()
