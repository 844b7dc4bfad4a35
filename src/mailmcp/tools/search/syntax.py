"""Operators of other mail searches, refused with what to send instead.

Here they would be searched for as text, and a search that finds no `from:ann` would seem to prove that Ann
has not written.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from mailmcp import limits
from mailmcp.model.query import ARGUMENT_CRITERIA, Kind
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.values import parse_day, parse_octets
from mcp_envelope import BaseReason, InvalidInputError, Problem

TEXTS = tuple(row.name for row in ARGUMENT_CRITERIA if row.kind in {Kind.WORDS, Kind.PHRASE})
"""The arguments that take words or a phrase, by the names of their fields."""

_QUOTED = "In double quotes it is text."
_REPEATABLE = re.compile(r"[\w.@+/%$=-][\w.@+/%$= -]{0,63}")
"""What an error may repeat to the caller."""

_ALTERNATIVES = re.compile(r"\w\|\w")
_SPAN = re.compile(r"(\d{1,4})([dwmy])", re.ASCII | re.IGNORECASE)
_SPAN_DAYS = {"d": 1, "w": 7, "m": 31, "y": 366}


class _Operator(NamedTuple):
    """An operator as it was written, and what to send instead."""

    shown: str
    argument: str
    """"" if none does the same."""

    value: str
    """As it would be sent; "" if it can't be told."""


def check_syntax(arguments: SearchMessagesArguments, *, today: date) -> None:
    """Check that texts have no operators outside double quotes.

    Args:
        arguments: Of a new search.
        today: The day from which days are counted back.

    Raises:
        InvalidInputError: With reason `invalid_value`, and the arguments to send instead.
    """
    problems = [
        Problem(field=name.rstrip("_"), reason=BaseReason.INVALID_VALUE, message=message)
        for name in TEXTS
        for message in _complaints(name, getattr(arguments, name), today)
    ]
    if problems:
        raise InvalidInputError(problems)


def accepts(name: str, text: str) -> bool:
    """Return whether a text has no operators for a criterion."""
    return not any(_complaints(name, text, date.max))


def _complaints(name: str, text: str, today: date) -> Iterator[str]:
    tokens = list(_TOKEN.finditer(text))
    # In a text of capitals, those of a word say nothing; addresses aren't sentences.
    shouted = name in {"subject", "body"} and re.sub(r"\b(AND|OR|NOT)\b", "", text).isupper()
    operators = [*_operators(name, tokens, today), *_negations(tokens, shouted=shouted)]
    if operators:
        yield _suggest(operators)
    wrong = {"query": {"OR", "|"}, "exclude": set[str]()}.get(name, set() if shouted else {"AND", "OR", "|"})
    joining = [each["word"] for each in tokens[1:-1] if each["word"] in wrong]
    if name == "query" and any(_ALTERNATIVES.search(each["word"] or "") for each in tokens):
        joining.append("|")
    if joining:
        done = "words are joined by AND" if name == "query" else "the text is one phrase"
        yield f"`{joining[0]}` is not an operator here: {done}. Search once for each. {_QUOTED}"


def _operators(name: str, tokens: Sequence[re.Match[str]], today: date) -> Iterator[_Operator]:
    for before, token in pairwise([None, *tokens]):
        if token is not None and token["name"] is not None:
            operator, value = token["name"].lower(), _bare(token["value"])
            negated = (
                bool(token["sign"]) or name == "exclude" or (before is not None and before["word"] == "NOT")
            )
            argument, sent = _replacement(operator, value, negated=negated, today=today)
            yield _Operator(f"{token['sign']}{operator}:", argument, sent)


def _negations(tokens: Sequence[re.Match[str]], *, shouted: bool) -> Iterator[_Operator]:
    found = [("-", token["out"]) for token in tokens if token["out"]]
    if not shouted:
        pairs = pairwise(tokens)
        found += [("NOT", after[0]) for token, after in pairs if token["word"] == "NOT" and not after["name"]]
    for shown, word in found:
        yield _Operator(shown, "exclude", _text(_bare(word)))


def _bare(text: str) -> str:
    return text.rstrip(")}*,;").strip('"')


def _replacement(operator: str, value: str, *, negated: bool, today: date) -> tuple[str, str]:
    """Return the argument that does what an operator would, and its value as it would be sent."""
    if switch := _SWITCHES.get(f"{'-' if negated else ''}{operator}:{value.lower()}"):
        return switch, "true"
    if operator in _REPLACEMENTS and not negated:
        argument, write = _REPLACEMENTS[operator]
        return argument, write(value, today)
    return ("exclude", _text(value)) if operator in _TEXT_OPERATORS else ("", "")


def _text(value: str, _today: date | None = None) -> str:
    return f'"{value}"' if _REPEATABLE.fullmatch(value) else ""


def _mailbox(value: str, _today: date) -> str:
    return f'"{EVERYTHING}"' if value.lower() in {"anywhere", "all"} else _text(value)


def _id(value: str, _today: date) -> str:
    return _text(value.strip("<>"))


def _day(value: str, _today: date) -> str:
    day = parse_day(value.replace("/", "-"))
    return f'"{day}"' if day else ""


def _octets(value: str, _today: date) -> str:
    return str(parse_octets(value) or "")


def _last_days(value: str, _today: date) -> str:
    days = _span_days(value)
    return str(days) if 0 < days <= limits.LAST_DAYS_MAX else ""


def _days_ago(value: str, today: date) -> str:
    days = _span_days(value)
    return f'"{today - timedelta(days=days)}"' if 0 < days < today.toordinal() else ""


def _span_days(value: str) -> int:
    match = _SPAN.fullmatch(value)
    return int(match[1]) * _SPAN_DAYS[match[2].lower()] if match else 0


_TEXT_OPERATORS = {
    "from": "from",
    "to": "to",
    "deliveredto": "to",
    "cc": "cc",
    "bcc": "any_address",
    "subject": "subject",
    "body": "body",
    "filename": "query",
    "attachment": "query",
}
"""Operators that take text, which can be excluded as well."""

_REPLACEMENTS: dict[str, tuple[str, Callable[[str, date], str]]] = {
    **{name: (argument, _text) for name, argument in _TEXT_OPERATORS.items()},
    **dict.fromkeys(("in", "label", "folder", "mailbox"), ("mailbox", _mailbox)),
    **dict.fromkeys(("after", "since", "newer"), ("since", _day)),
    **dict.fromkeys(("before", "until", "older"), ("before", _day)),
    **dict.fromkeys(("larger", "size"), ("larger_than", _octets)),
    "smaller": ("smaller_than", _octets),
    "newer_than": ("last_days", _last_days),
    "older_than": ("before", _days_ago),
    "list": ("list_id", _id),
    **dict.fromkeys(("rfc822msgid", "msgid", "message-id"), ("header_message_id", _id)),
}
_SWITCHES = {
    "has:attachment": "has_attachment",
    "has:attachments": "has_attachment",
    "hasattachment:true": "has_attachment",
    "hasattachments:true": "has_attachment",
    "is:unread": "unread_only",
    "-is:read": "unread_only",
    "is:starred": "flagged",
    "is:flagged": "flagged",
    "is:answered": "answered",
    "is:replied": "answered",
    "is:unanswered": "unanswered_only",
    "-is:answered": "unanswered_only",
    "-is:replied": "unanswered_only",
}
_NAMES = {*_REPLACEMENTS, *(each.lstrip("-").partition(":")[0] for each in _SWITCHES), "category"}

_TOKEN = re.compile(
    rf"""
    \\?" (?: (?!\\?") . )* (?:\\?")? | [“”„«»] [^“”„«»]* [“”„«»]?  # quoted, as the words of a search are read
    | (?P<start>\A\s*)? [({{]* (?P<sign>-?) (?P<name>(?i:{"|".join(sorted(_NAMES))})) :
      (?P<value> "[^"]*"? | [\w<@*] \S* | (?(start) \s*\Z | (?!)) )
    | [({{]* - (?P<out> "[^"]*"? | [^\W\d_] \S* )
    | (?P<word> \S+ )
    """,
    re.VERBOSE | re.DOTALL,
)
"""A colon followed by a space or a sign belongs to a sentence: `Re: drift`. A text that is only a name
and a colon is an operator without its value."""


def _suggest(operators: Sequence[_Operator]) -> str:
    shown = list(dict.fromkeys(f"`{each.shown}`" for each in operators))
    said = f"{', '.join(shown)} {'is not an operator' if len(shown) == 1 else 'are not operators'} here. "
    instead: dict[str, list[str]] = {}
    for each in operators:
        instead.setdefault(each.argument, []).append(each.value)
    nothing = instead.pop("", None)
    if instead:
        said += f"Send {', '.join(_assignment(*each) for each in instead.items())}. "
    if nothing:
        said += "For the rest send gmail_query, on Gmail. " if instead else "On Gmail send gmail_query. "
    if any(each.argument == "exclude" and each.shown.endswith(":") for each in operators):
        said += "exclude applies to the whole message. "
    return said + _QUOTED


def _assignment(argument: str, values: Sequence[str]) -> str:
    """Write an argument with its value, if that is plain; several words to exclude become one text."""
    if len(values) == 1:
        return f"{argument}={values[0]}" if values[0] else argument
    texts = [each.strip('"') for each in values]
    joined = argument == "exclude" and all(texts) and not any(" " in each for each in texts)
    return f'{argument}="{" ".join(texts)}"' if joined else argument
