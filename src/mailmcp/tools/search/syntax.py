"""Operators of other mail searches, refused with what to send instead.

Here they would be searched for as text, and a search that finds no `from:ann` would seem to prove that Ann
has not written.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mailmcp.model.query import ARGUMENT_CRITERIA, Kind
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mcp_envelope import BaseReason, InvalidInputError, Problem

TEXTS: Final = tuple(row.name for row in ARGUMENT_CRITERIA if row.kind in {Kind.WORDS, Kind.PHRASE})
"""The arguments that take words or a phrase, by the names of their fields."""

_ARGUMENTS: Final = {
    "from": "from",
    "to deliveredto": "to",
    "cc": "cc",
    "bcc": "any_address",
    "subject": "subject",
    "body": "body",
    "filename attachment": "query",
    "in label folder mailbox": "mailbox",
    "list": "list_id",
    "rfc822msgid msgid message-id": "header_message_id",
    "after since newer": "since",
    "before until older older_than": "before",
    "newer_than": "last_days",
    "larger size": "larger_than",
    "smaller": "smaller_than",
    "hasattachment hasattachments": "has_attachment",
    "is has category": "",
}
"""What to send instead of `name:value`; "" if that depends on the value."""

_INSTEAD: Final = {name: argument for names, argument in _ARGUMENTS.items() for name in names.split()}
_SWITCHES: Final = {
    "has:attachment": "has_attachment=true",
    "has:attachments": "has_attachment=true",
    "is:unread": "unread_only=true",
    "-is:read": "unread_only=true",
    "is:starred": "flagged=true",
    "is:flagged": "flagged=true",
    "is:answered": "answered=true",
    "is:replied": "answered=true",
    "is:unanswered": "unanswered_only=true",
    "-is:answered": "unanswered_only=true",
    "-is:replied": "unanswered_only=true",
    "in:anywhere": 'mailbox="*"',
    "in:all": 'mailbox="*"',
}
_WITHOUT_VALUE: Final = {"since", "before", "last_days", "larger_than", "smaller_than", "has_attachment"}
_QUOTED: Final = "In double quotes it is text."
_REPEATABLE: Final = re.compile(r"[\w.@+/%$=-][\w.@+/%$= -]{0,63}")
"""What an error may repeat to the caller."""

_TOKEN: Final = re.compile(
    rf"""
    \\?" (?: (?!\\?") . )* (?:\\?")? | [“”„«»] [^“”„«»]* [“”„«»]?  # quoted, as the words of a search are read
    | [({{]* (?P<sign>-?) (?P<name>(?i:{"|".join(_INSTEAD)})) : (?P<value> "[^"]*"? | [\w<@*] \S* )
    | [({{]* - (?P<out> "[^"]*"? | [^\W\d_] \S* )
    | (?P<word> \S+ )
    """,
    re.VERBOSE | re.DOTALL,
)
"""A colon followed by a space or a sign belongs to a sentence: `Re: drift`."""


def check_syntax(arguments: SearchMessagesArguments) -> None:
    """Check that texts have no operators outside double quotes.

    Raises:
        InvalidInputError: With reason `invalid_value`, and the arguments to send instead.
    """
    problems = [
        Problem(field=name.rstrip("_"), reason=BaseReason.INVALID_VALUE, message=message)
        for name in TEXTS
        for message in _complaints(name, getattr(arguments, name))
    ]
    if problems:
        raise InvalidInputError(problems)


def accepts(name: str, text: str) -> bool:
    """Return whether a text has no operators for a criterion."""
    return not any(_complaints(name, text))


def _complaints(name: str, text: str) -> Iterator[str]:
    # In a text of capitals, those of a word say nothing; addresses aren't sentences.
    shouted = name in {"subject", "body"} and re.sub(r"\b(AND|OR|NOT)\b", "", text).isupper()
    joining = set() if shouted or name == "exclude" else {"OR", "|", *({"AND"} if name != "query" else ())}
    tokens = list(_TOKEN.finditer(text))
    found: list[tuple[str, str]] = []
    joined, before = "", ""
    for number, token in enumerate(tokens):
        word, negated = token["word"] or "", before == "NOT" and not shouted
        if token["name"]:
            operator = token["name"].lower()
            negated = negated or name == "exclude" or bool(token["sign"])
            instead = _replacement(operator, token["value"], negated=negated)
            found.append((f"{token['sign']}{operator}:", instead))
        elif token["out"] or negated:
            instead = _assignment("exclude", token["out"] or token[0])
            found.append(("-" if token["out"] else "NOT", instead))
        elif word in joining and 0 < number < len(tokens) - 1:
            joined = word
        elif name == "query" and re.search(r"\w\|\w", word):
            joined = "|"
        before = word
    if found:
        yield f"{_suggest(found)} {_QUOTED}"
    if joined:
        done = "words are joined by AND" if name == "query" else "the text is one phrase"
        yield f"`{joined}` is not an operator here: {done}. Search once for each. {_QUOTED}"


def _replacement(operator: str, value: str, *, negated: bool) -> str:
    """Return what to send instead of an operator; "" if nothing does the same."""
    switch = _SWITCHES.get(f"{'-' if negated else ''}{operator}:{_bare(value).lower()}")
    if switch or not negated:
        return switch or _assignment(_INSTEAD[operator], value)
    is_text = _INSTEAD[operator] in {"query", *(each.rstrip("_") for each in TEXTS)}
    return _assignment("exclude", value) if is_text else ""


def _assignment(argument: str, value: str) -> str:
    """Write an argument with its value, if that is plain text."""
    text = _bare(value)
    plain = argument and argument not in _WITHOUT_VALUE and _REPEATABLE.fullmatch(text)
    return f'{argument}="{text}"' if plain else argument


def _bare(value: str) -> str:
    return value.rstrip(")}*,;").strip('"<>')


def _suggest(found: Sequence[tuple[str, str]]) -> str:
    """Name operators and what to send instead, each once."""
    operators = [f"`{each}`" for each in dict.fromkeys(shown for shown, _ in found)]
    instead = dict.fromkeys(argument for _, argument in found if argument)
    are_none = "is not an operator" if len(operators) == 1 else "are not operators"
    said = f"{', '.join(operators)} {are_none} here."
    said += f" Send {', '.join(instead)}." if instead else ""
    return said if all(each for _, each in found) else f"{said} On Gmail, gmail_query takes operators."
