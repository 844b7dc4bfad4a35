"""Styles of OpenDocument files that hide what is formatted with them."""

from collections.abc import Iterable

from mailmcp.documents.xml_stream import Event, Start


def hidden_styles(events: Iterable[Event]) -> frozenset[str]:
    """Find the styles that hide text, tables or slides, by name; reads to the body."""
    hidden = set()
    current = ""
    for event in events:
        if not isinstance(event, Start):
            continue
        if event.name == "body":
            break
        if event.name == "style":
            current = event.attributes.get("name", "")
        elif event.name in {
            "text-properties",
            "table-properties",
            "section-properties",
            "drawing-page-properties",
        }:
            shown = event.attributes.get("display", "true"), event.attributes.get("visibility", "visible")
            if shown[0] in {"none", "false"} or shown[1] == "hidden":
                hidden.add(current)
    return frozenset(hidden)
