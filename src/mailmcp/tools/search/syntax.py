"""Operators of other mail searches, refused with the arguments to send instead.

Here they would be searched for as text, and a search that finds no `from:ann` would seem to prove that Ann
has not written.
"""

import re
from collections.abc import Iterator
from typing import Final

from mailmcp.model.query import ARGUMENT_CRITERIA, Kind
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.values import split_words
from mcp_envelope import BaseReason, InvalidInputError, Problem

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
    "has hasattachment hasattachments": "has_attachment",
    "is": "unread_only, flagged or awaiting_reply",
    "category": "kind",
}
"""What to send instead of `name:value`."""

_INSTEAD: Final = {name: argument for names, argument in _ARGUMENTS.items() for name in names.split()}
_TEXTS: Final = [row for row in ARGUMENT_CRITERIA if row.kind in {Kind.WORDS, Kind.PHRASE}]
_OPERATOR: Final = re.compile(
    rf"""[({{]* (?:
    (?P<sign>-?) (?P<name>{"|".join(_INSTEAD)}) : (?=["\w<@*])
    | - (?=["a-z]|[^\W\d_])
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""At the start of a word. A colon followed by a space or a sign belongs to a sentence: `Re: drift`."""


def check_syntax(arguments: SearchMessagesArguments) -> None:
    """Check that texts have no operators outside double quotes.

    Raises:
        InvalidInputError: With reason `invalid_value`, and the arguments to send instead.
    """
    problems = [
        Problem(
            field=row.argument,
            reason=BaseReason.INVALID_VALUE,
            message=f"{message} In double quotes it is text.",
        )
        for row in _TEXTS
        for message in _complaints(row.argument, getattr(arguments, row.name))
    ]
    if problems:
        raise InvalidInputError(problems)


def _complaints(name: str, text: str) -> Iterator[str]:
    # In a text of capitals, those of a word say nothing; addresses aren't sentences.
    shouted = name in {"subject", "body"} and re.sub(r"\b(AND|OR|NOT)\b", "", text).isupper()
    joining = set() if shouted or name == "exclude" else {"OR", "|", *({"AND"} if name != "query" else ())}
    words = split_words(text)
    instead: dict[str, str] = {}
    joined = ""
    for number, (word, quoted) in enumerate(words):
        if quoted:
            continue
        is_last = number == len(words) - 1
        if operator := _OPERATOR.match(word):
            argument = _INSTEAD.get((operator["name"] or "").lower(), "exclude")
            negated = name == "exclude" or operator["sign"]
            if negated and any(argument == row.argument for row in _TEXTS):
                argument = "exclude"
            instead[operator[0].lstrip("({").lower()] = argument
        elif word == "NOT" and not (shouted or is_last):
            instead["NOT"] = "exclude"
        elif word in joining and number and not is_last:
            joined = word
        elif name == "query" and re.search(r"\w\|\w", word):
            joined = "|"
    if instead:
        arguments = ", ".join(dict.fromkeys(instead.values()))
        operators = ", ".join(f"`{each}`" for each in instead)
        yield f"takes no operators. Instead of {operators} send {arguments}."
    if joined:
        yield f"takes no operators such as `{joined}`. Search once for each."
