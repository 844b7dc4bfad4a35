"""Styles of a DOCX that change what is read: headings, lists, hidden text."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.documents.xml_stream import Event, Start

_HEADING: Final = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_HEADING_LEVELS: Final = frozenset("012345678")
_OFF: Final = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What one style says; what it inherits is not looked at but for the names of headings."""

    heading: int = 0
    """Level from 1; 0 for text."""

    is_list: bool = False
    hidden: bool = False


def read_styles(events: Iterable[Event]) -> dict[str, Style]:
    """Read the styles that say something, by id."""
    styles: dict[str, Style] = {}
    current = ""
    for event in events:
        if not isinstance(event, Start):
            continue
        if event.name == "style":
            current = event.attributes.get("styleId", "")
        elif current:
            style = _learn(styles.get(current, Style()), event)
            if style is not None:
                styles[current] = style
    return styles


def _learn(style: Style, event: Start) -> Style | None:
    """Take one property of a style; None when it says nothing here."""
    value = event.attributes.get("val", "")
    if event.name == "name":
        named = _HEADING.match(value)
        level = int(named[1]) if named else int(value.lower() == "title")
        return replace(style, heading=level) if level else None
    if event.name == "outlineLvl":
        return replace(style, heading=outline_level(value))
    if event.name == "numId":
        return replace(style, is_list=value != "0")
    if event.name == "vanish":
        return replace(style, hidden=is_on(event.attributes))
    return None


def outline_level(value: str) -> int:
    """Read an outline level: 0 to 8 are headings, 9 is body text."""
    return int(value) + 1 if value in _HEADING_LEVELS else 0


def is_on(attributes: Mapping[str, str]) -> bool:
    """Read a switch, which is on by standing there (ECMA-376 part 1, 17.17.4)."""
    return attributes.get("val", "true").lower() not in _OFF
