"""One query of the tables: what the tool is sent, and which of the known messages it must find."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, tzinfo
from zoneinfo import ZoneInfo

from search.known_mail import Known
from search.rules import Rules

Matches = Callable[[Known, Rules], bool]


@dataclass(frozen=True, slots=True)
class Query:
    """One row of a table."""

    arguments: dict[str, object]
    """As they are sent; `_` at the end of a name is dropped."""

    matches: Matches
    """An independent oracle: whether a query must find a message."""

    limit: int = 0
    """Messages a page; 0 for one that makes some pages of the result."""

    zone: tzinfo = UTC
    today: date = date(2026, 7, 1)
    empty: bool = field(default=False)
    """Whether it finds nothing on purpose: a table of empty results would prove nothing."""

    @property
    def name(self) -> str:
        """For the report of the tests."""
        said = ",".join(f"{name}={_short(value)}" for name, value in self.arguments.items()) or "everything"
        return f"{said} ({self.zone})" if isinstance(self.zone, ZoneInfo) else said


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 50 else f"{text[:20]}...{text[-10:]}"


def everywhere(*words: str) -> Matches:
    """All words occur where people see them, or where none does, in any place."""
    return lambda message, rules: all(rules.found(message, word) for word in words)


def nowhere(*words: str) -> Matches:
    """None of the words occurs where people see it."""
    return lambda message, rules: not any(rules.seen(message, word) for word in words)


def in_body(phrase: str) -> Matches:
    """The phrase occurs in the text."""
    return lambda message, rules: rules.body(message, phrase)


def in_field(name: str, text: str) -> Matches:
    """The text occurs in one header field: `from_`, `to`, `cc`, `subject`, `list_id`."""
    return lambda message, rules: rules.field(getattr(message, name), text)


def flagged(flag: str) -> Matches:
    """The message has the flag."""
    return lambda message, _rules: flag in message.flags


def both(*conditions: Matches) -> Matches:
    """All conditions hold."""
    return lambda message, rules: all(each(message, rules) for each in conditions)


def any_of(*conditions: Matches) -> Matches:
    """One of the conditions holds."""
    return lambda message, rules: any(each(message, rules) for each in conditions)
