"""The attributes of a tag, read and written as text."""

import re
from typing import Final

from mailmcp.limits import HTML_ATTRIBUTES_MAX, HTML_TAG_CHARS_MAX
from mailmcp.mail.html.tags import TAG_ATTRIBUTE, to_lower

_ATTRIBUTE: Final = re.compile(
    r"""(?P<name>[^\t\n\f\r\x20/>][^\t\n\f\r\x20/>=]*+)
    (?: [\t\n\f\r\x20]*+ = [\t\n\f\r\x20]*+
      (?: "(?P<double>[^"]*+)" | '(?P<single>[^']*+)' | (?P<bare>[^\t\n\f\r\x20"'>][^\t\n\f\r\x20>]*+) )?+
    )?+""",
    re.VERBOSE,
)
_KEPT_ATTRIBUTES: Final = frozenset(
    {"href", "style", "class", "id", "hidden", "alt", "width", "height", "start", "colspan", "rowspan"}
    | {"bgcolor", "color", "background", "text", "disabled"}
    | {"leftmargin", "topmargin", "marginwidth", "marginheight", "hspace", "vspace"}
    | {"xlink:href", "action", "formaction", "form", "type", "value", "attributename", "to", "values", "from"}
)
"""Those that readers see, or that decide what they see."""


def bound_attributes(name: str, tag: str) -> tuple[str, bool]:
    """Leave out attributes that only the tree builder writes, and those beyond HTML_ATTRIBUTES_MAX.

    Returns:
        The tag, and whether it still has all its attributes.
    """
    if len(tag) <= HTML_TAG_CHARS_MAX and TAG_ATTRIBUTE not in tag.lower():
        return tag, True
    written = read_attributes(tag[1 + len(name) :])
    kept = {key: value for key, value in written.items() if not key.startswith(TAG_ATTRIBUTE)}
    if len(kept) > HTML_ATTRIBUTES_MAX:
        kept = {key: value for key, value in kept.items() if key in _KEPT_ATTRIBUTES}
    return write_tag(name, kept), len(kept) == len(written)


def is_self_closed(name: str, tag: str) -> bool:
    """Return whether a tag ends in a slash that isn't part of a value."""
    attributes = tag[1 + len(name) : -1]
    end = max((match.end() for match in _ATTRIBUTE.finditer(attributes)), default=0)
    return attributes.endswith("/") and end < len(attributes)


def write_tag(name: str, attributes: dict[str, str]) -> str:
    """Write a start tag; values are as they stood in the source."""
    written = (f' {key}="{value.replace(chr(34), "&quot;")}"' for key, value in attributes.items())
    return f"<{name}{''.join(written)}>"


def read_attributes(tag: str) -> dict[str, str]:
    """Read what follows the name of a tag: values as written, the first of equal names."""
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(tag):
        value = match["double"] or match["single"] or match["bare"] or ""
        attributes.setdefault(to_lower(match["name"]), value)
    return attributes
