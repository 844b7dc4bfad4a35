"""Header fields in a reply. What is too long is cut between addresses or words, and a warning says so."""

from typing import Final

from mailmcp import limits
from mailmcp.mail.clean import clean_line, cut_text
from mailmcp.mail.header.fields import Header, Headers
from mailmcp.mail.people import people_of
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.wording import counted

_PEOPLE: Final = ("From", "To", "Cc")
_ADDRESSES: Final = frozenset({"from", "to", "sender", "reply-to"})
_SHOWN: Final = _ADDRESSES | {
    "date",
    "subject",
    "message-id",
    "in-reply-to",
    "references",
    "list-id",
    "list-unsubscribe",
    "auto-submitted",
    "precedence",
}
"""Fields that matter for replies and lists, and the four that clients of similar servers expect."""


def people_fields(headers: Headers) -> tuple[dict[str, str], list[str]]:
    """Format From, To and Cc under their names in the reply; also return a warning for each that was cut."""
    values: dict[str, str] = {}
    warnings: list[str] = []
    for name in _PEOPLE:
        people = people_of(headers, name, max_chars=limits.HEADER_CHARS_MAX)
        values[name.lower()] = people.text
        if people.shown < people.total:
            more_than = "more than " if headers.is_cut(name) else ""
            warnings.append(
                f"{name} has {more_than}{people.total} addresses, of which {people.shown} are shown; "
                f"{GET_MESSAGE_RAW} has all of them."
            )
    return values, warnings


def header_fields(headers: Headers) -> tuple[dict[str, str], list[str]]:
    """Format the header fields that matter for replies and lists, by name.

    Values of a field that occurs more than once are on lines of their own. Also return a warning if any value
    was cut.
    """
    values: dict[str, str] = {}
    cut = 0
    for field in headers.fields:
        if field.name.lower() in _SHOWN:
            value, was_cut = _value(field)
            cut += was_cut
            values[field.name] = f"{values[field.name]}\n{value}" if field.name in values else value
    if not cut:
        return values, []
    return values, [f"Cut {counted(cut, 'header value')}; {GET_MESSAGE_RAW} has the whole source."]


def _value(field: Header) -> tuple[str, bool]:
    """Format a value; also return whether it was cut.

    Addresses are parsed and formatted, so that no name can pass for one.
    """
    max_chars = limits.HEADER_CHARS_MAX
    if field.name.lower() in _ADDRESSES:
        people = people_of(Headers(fields=(field,)), field.name, max_chars=max_chars)
        if people.total:
            return people.text, people.shown < people.total
    value = clean_line(field.value).text
    if len(value) <= max_chars:
        return value, False
    kept = value[:max_chars].rpartition(" ")[0] or cut_text(value, max_chars)
    rest = len(value) - len(kept)
    more = f"{rest}+ more characters" if field.cut else counted(rest, "more character")
    return f"{kept} … ({more})", True
