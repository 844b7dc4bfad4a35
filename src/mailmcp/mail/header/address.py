"""Address lists: From, To and their like (RFC 5322 section 3.4, and 4.4 obsolete forms).

The syntax is parsed first and encoded words are decoded last (RFC 2047 section
5), so that no decoded name can add, hide or fake an address. International
domains stay as they were sent.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.fields import decode_encoded_words

# Between angle brackets, quotes and comments are bounded: the end of one that is not closed costs a search.
_TOKEN: Final = re.compile(
    r"""
      (?P<quoted>"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z))
    | (?P<angle><(?:
          [^<>"(]
        | "(?:[^<>"\\]|\\.){0,100}+"
        | \((?:[^()\\]|\\.|\((?:[^()\\]|\\.){0,100}+\)){0,100}+\)
        | ["(]
      )*+>?)
    | (?P<mark>[,;:])
    | (?P<literal>\[[^\[\]]*+\])
    | (?P<word>[^\s",;:<>()\[\]]++)
    | (?P<space>\s++)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE: Final = re.compile(r"\\.|[()]", re.DOTALL)
_OUTSIDE: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|\(', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_AROUND_DOTS: Final = re.compile(r"\s*([@.])\s*")
_ROUTE: Final = re.compile(r"@[^:]*:")  # obsolete source route: <@relay,@relay:user@host>
_ADDR_SPEC: Final = re.compile(r'(?:[^\s@"<>(),;:]+|"(?:[^"\\]|\\.)*")@(?:[^\s@<>(),;]+|\[[^\[\]\s]*\])')
_NEEDS_QUOTES: Final = re.compile(r'[<>,;:"@()\[\]\\]')
_SPECIAL: Final = re.compile(r'(["\\])')
_COUNT: Final = re.compile(r"(?i)(and )?\d+\+? more")
"""How a list that was cut ends; no name without an address may look like that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One mailbox, or the name of an empty group, or what was left of a broken one."""

    name: str
    """Decoded display name on one line, without invisible characters; "" when there is none."""

    address: str
    """The addr-spec, as sent; "" for an empty group and where none could be read."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


_COMMA: Final = _Token("mark", ",")
_GROUP_START: Final = _Token("mark", ":")
_GROUP_END: Final = _Token("mark", ";")


def parse_addresses(*values: str) -> tuple[Address, ...]:
    """Parse the values of address headers into one list, in order.

    Args:
        values: Unfolded values with their encoded words still in them, as
            `Headers.raw_all` gives; several when the header is repeated.

    Returns:
        The members of groups stand in the list like others; an empty group
        (``undisclosed-recipients:;``) is its name without an address. Broken
        ones are kept as name text, and so is a value that is nothing but a comment.
        Empty when there is nothing to read.
    """
    return tuple(address for value in values for item in _split(value) for address in _read_mailbox(item))


def format_address(address: Address) -> str:
    """Write ``Name <a@b>``, ``a@b`` or ``Name``; the name is quoted where it could be misread."""
    if not address.name:
        return address.address
    name = _quote_phrase(address.name)
    if not address.address:
        return f'"{name}"' if _COUNT.fullmatch(name) else name
    return f"{name} <{address.address}>"


def comment_end(value: str, start: int) -> int:
    """Return the offset after the comment that begins at `start`; -1 if it is not closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(value, start):
        depth += {"(": 1, ")": -1}.get(edge.group(), 0)
        if depth == 0:
            return edge.end()
    return -1


def blank_comments(value: str) -> str:
    """Replace each comment with a space; what is quoted stays, and so does a comment without an end."""
    kept: list[str] = []
    end = 0
    position = 0
    while (found := _OUTSIDE.search(value, position)) is not None:
        position = found.end()
        if found.group() != "(":
            continue
        after = comment_end(value, found.start())
        if after < 0:
            break
        kept += (value[end : found.start()], " ")
        end = position = after
    return "".join(kept) + value[end:]


def _quote_phrase(text: str) -> str:
    """Write a name, or what stands for one, as a quoted string where it could be taken for several values."""
    return '"' + _SPECIAL.sub(r"\\\1", text) + '"' if _NEEDS_QUOTES.search(text) else text


def _tokens(value: str) -> Iterator[_Token]:
    position = 0
    while (match := _TOKEN.match(value, position)) is not None:  # None only at the end
        if match.group() == "(":
            end = comment_end(value, match.start())
            position = end if end > 0 else len(value)
            yield _Token("comment", value[match.end() : position].removesuffix(")"))
        else:
            position = match.end()
            yield _Token(match.lastgroup or "other", match.group())


def _split(value: str) -> list[list[_Token]]:
    """Cut a list at its commas and group marks; an empty group comes as its name alone."""
    tokens = list(_tokens(value))
    items: list[list[_Token]] = []
    item: list[_Token] = []
    group: list[_Token] = []
    members = 0
    groups_left = tokens.count(_GROUP_END)
    for token in tokens:
        groups_left -= token == _GROUP_END
        if token == _GROUP_START and groups_left > 0 and not group:
            group, item, members = item, [], len(items)
        elif token in (_COMMA, _GROUP_END):
            items += [item] if _is_member(item) else []
            if token == _GROUP_END:
                items += [group] if group and len(items) == members else []
                group = []
            item = []
        else:
            item.append(token)
    items += [item] if _is_member(item) else []
    return items or [[token for token in tokens if token.kind == "comment"]]


def _is_member(item: list[_Token]) -> bool:
    return any(token.kind not in ("space", "comment") for token in item)


def _read_mailbox(item: list[_Token]) -> Iterator[Address]:
    angles = [index for index, token in enumerate(item) if token.kind == "angle"]
    if angles:
        # Where there are several, the last is the address and the others are part of the name.
        last = angles[-1]
        address = _addr_spec(" ".join(blank_comments(item[last].text).strip("<>").split()))
        rest = item[:last] + item[last + 1 :] if address else item
    else:
        address = _addr_spec("".join(token.text for token in item if token.kind != "comment"))
        if "@" not in address:
            address = ""
        rest = [token for token in item if token.kind == "comment"] if address else item
    name = _name(rest)
    if name or address:
        yield Address(name=name, address=address)


def _addr_spec(text: str) -> str:
    """Make an address of what stands between angle brackets; "" when it cannot be one."""
    spec = _AROUND_DOTS.sub(r"\1", text.strip())
    spec = _ROUTE.sub("", spec, count=1) if spec.startswith("@") else spec
    cleaned = clean_line(spec).text
    if _ADDR_SPEC.fullmatch(cleaned) is not None:
        return cleaned
    return cleaned if cleaned and "@" not in cleaned and " " not in cleaned else ""


def _name(tokens: list[_Token]) -> str:
    """Decode the phrase; comments are the name only where there is no phrase."""
    phrase = "".join(" " if token.kind == "comment" else _unquote(token) for token in tokens)
    return _decode_phrase(phrase) or _decode_phrase(
        " ".join(_unquote(token) for token in tokens if token.kind == "comment")
    )


def _decode_phrase(phrase: str) -> str:
    name = clean_line(decode_encoded_words(phrase.strip()).text).text
    return "" if name == "<>" else name


def _unquote(token: _Token) -> str:
    if token.kind == "comment":
        return _ESCAPED.sub(r"\1", token.text)
    if token.kind != "quoted":
        return token.text
    return _ESCAPED.sub(r"\1", token.text[1:].removesuffix('"') if len(token.text) > 1 else "")
