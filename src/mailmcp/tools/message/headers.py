"""Header fields of a message in a reply: whole, or cut between addresses or words, and the reply says so."""

from collections.abc import Sequence
from typing import NamedTuple

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.fields import Header, Headers
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.tools.people import people_of
from mailmcp.tools.wording import were

_PEOPLE = {"from": "From", "to": "To", "cc": "Cc"}
"""Header fields by the fields of the reply that name their addresses."""

_ADDRESSES = frozenset(
    {"from", "to", "cc", "bcc", "sender", "reply-to", "resent-from", "resent-to", "resent-cc", "resent-bcc"}
)
_USEFUL = frozenset(
    {
        "date",
        "from",
        "to",
        "subject",
        "message-id",
        "in-reply-to",
        "references",
        "reply-to",
        "sender",
        "list-id",
        "list-unsubscribe",
        "auto-submitted",
        "precedence",
    }
)
"""Headers that matter for replies and lists, and the four that clients of similar servers look for."""


class HeaderRow(NamedTuple):
    """One header field, decoded."""

    name: str
    value: str


def people_fields(headers: Headers) -> dict[str, str]:
    """Write who a message is from and to, under the names that the reply has for it."""
    return {
        key: people_of(headers, name, max_chars=limits.HEADER_CHARS_MAX).text for key, name in _PEOPLE.items()
    }


def people_warnings(headers: Headers) -> tuple[str, ...]:
    """Say of which addresses `people_fields` names only some."""
    found = {name: people_of(headers, name, max_chars=limits.HEADER_CHARS_MAX) for name in _PEOPLE.values()}
    return tuple(
        f"{name} has {'more than ' if headers.is_cut(name) else ''}{people.total} addresses; the first "
        f"{people.shown} are shown. Send include_all_headers for more."
        for name, people in found.items()
        if people.shown < people.total
    )


def header_rows(headers: Headers, *, everything: bool) -> tuple[list[HeaderRow], tuple[str, ...]]:
    """Write the header fields of a message: every one, or those that matter for replies and lists.

    Returns:
        The rows, and a warning if values among them were cut.
    """
    max_chars = limits.HEADER_WHOLE_CHARS_MAX if everything else limits.HEADER_CHARS_MAX
    rows: list[HeaderRow] = []
    cut = 0
    for field in headers.fields:
        if everything or field.name.lower() in _USEFUL:
            value, was_cut = _value(field, max_chars)
            cut += was_cut
            rows.append(HeaderRow(name=field.name, value=value))
    return rows, (f"{were(cut, 'header value')} cut; {GET_MESSAGE_RAW} has the whole source.",) if cut else ()


def header_object(rows: Sequence[HeaderRow]) -> dict[str, str]:
    """Write header fields by their names; what a name occurs with several times is in lines, in its order."""
    values: dict[str, str] = {}
    for name, value in rows:
        values[name] = f"{values[name]}\n{value}" if name in values else value
    return values


def _value(field: Header, max_chars: int) -> tuple[str, bool]:
    """Write a value, and whether it was cut; addresses are written anew, so that no name passes for one."""
    if field.name.lower() in _ADDRESSES:
        people = people_of(Headers(fields=(field,)), field.name, max_chars=max_chars)
        if people.total:
            return people.text, people.shown < people.total
    value = clean_line(field.value).text
    if len(value) <= max_chars:
        return value, False
    kept = value[:max_chars].rpartition(" ")[0] or value[:max_chars]
    return f"{kept} … ({len(value) - len(kept)}{'+' if field.cut else ''} more characters)", True
