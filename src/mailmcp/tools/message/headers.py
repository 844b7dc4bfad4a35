"""Header fields in a reply. What is too long is cut between addresses or words, and a warning says so."""

from typing import Final

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.people import people_of
from mailmcp.mail.text.snippet import make_snippet
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

    Values of a field that occurs more than once are on lines of their own. Addresses are parsed and written
    again, so that no name can pass for one. Also return a warning if any value was cut.
    """
    values: dict[str, list[str]] = {}
    cut = 0
    for field in headers.fields:
        if field.name.lower() in _SHOWN:
            people = people_of(Headers(fields=(field,)), field.name, max_chars=limits.HEADER_CHARS_MAX)
            value, was_cut = people.text, people.shown < people.total
            if field.name.lower() not in _ADDRESSES or not people.total:
                whole = clean_line(field.value).text
                value = make_snippet(whole, limits.HEADER_CHARS_MAX)
                was_cut = len(whole) > limits.HEADER_CHARS_MAX
            cut += was_cut
            values.setdefault(field.name, []).append(value)
    shown = {name: "\n".join(several) for name, several in values.items()}
    warning = f"Cut {counted(cut, 'header value')}; {GET_MESSAGE_RAW} has the whole source."
    return shown, [warning] if cut else []
