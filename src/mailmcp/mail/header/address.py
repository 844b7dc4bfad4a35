"""Address lists: From, To and the like (RFC 5322 section 3.4, and 4.4 obsolete forms).

The syntax is parsed first and encoded words are decoded last (RFC 2047 section 5), so that no
decoded name can add, hide or fake an address. International domains stay as they were sent.
Comments, which other structured fields have too, are removed here (section 3.2.2).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.fields import Headers, decode_encoded_words

_TOKEN: Final = re.compile(
    r"""
      (?P<quoted>"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z))
    | (?P<angle><[^<>"()]*+>)  # what holds no other token; `_tokens` reads the others
    | (?P<mark>[,;:])
    | (?P<word>[^\s",;:<>()]++)
    | (?P<space>\s++)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE: Final = re.compile(r"\\.|[()]", re.DOTALL)
_OUTSIDE: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|\(', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_UNSEEN: Final = re.compile("[…\u200c\u200d]")
_FOLDING: Final = " \t\r\n"
"""White space that isn't part of an address: any other may be (RFC 6532 section 3.2)."""

_AROUND_DOTS: Final = re.compile(rf'("(?:[^"\\]|\\.)*+"?)|[{_FOLDING}]*+([@.])[{_FOLDING}]*+')
_ROUTE: Final = re.compile(r'\A@[^:"]*+:')  # obsolete source route: <@relay,@relay:user@host>
# Any word of a local part may be quoted (section 4.4).
_ADDR_SPEC: Final = re.compile(
    r"""(?: [^\s@"<>(),;:\\] | \\(?!") | (?<![^.])"(?:[^"\\]|\\.)*+"(?=[.@]) )++  @  [^\s@"<>(),;]++""",
    re.DOTALL | re.VERBOSE,
)
_LOCAL_NAME: Final = re.compile(r"(?![0-9]+\Z)[A-Za-z0-9._+-]+")
"""An address within one host, as system mail has, which passes for nothing else."""

_NEEDS_QUOTES: Final = re.compile(r'[<>,;:"@()\[\]\\]')
_BRACKETS: Final = frozenset({"Ps", "Pe"})
_SPECIAL: Final = re.compile(r'(["\\])')
_REMEMBERED_CHARS: Final = 200
"""Of a value: longer ones are lists, which rarely come again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One mailbox, the name of an empty group, or what is left of a broken address."""

    name: str
    """Decoded display name on one line, without invisible characters; "" if there is none."""

    address: str
    """The addr-spec, as sent; "" for an empty group and if none could be read."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    address: str = ""
    """What angle brackets hold, without comments."""


_OPEN: Final = _Token("other", "<")
_CLOSE: Final = _Token("other", ">")
_COMMA: Final = _Token("mark", ",")
_GROUP_START: Final = _Token("mark", ":")
_GROUP_END: Final = _Token("mark", ";")


def parse_addresses(*values: str) -> tuple[Address, ...]:
    """Parse the values of address headers into one list, in order.

    Args:
        values: Unfolded values with their encoded words, as `Headers.raw_all` returns them;
            several if the header is repeated.

    Returns:
        Members of groups like all others. An empty group (``undisclosed-recipients:;``) is its
        name without an address. Broken addresses are kept as names, and so is a value that is only
        a comment.
    """
    return tuple(address for value in values for address in _parse(value))


def addresses_in(headers: Headers, *names: str) -> frozenset[str]:
    """Return the addresses in some fields, in lower case."""
    found = parse_addresses(*(raw for name in names for raw in headers.raw_all(name)))
    return frozenset(each.address.lower() for each in found if each.address)


def _parse(value: str) -> tuple[Address, ...]:
    return _parse_again(value) if len(value) <= _REMEMBERED_CHARS else tuple(_read(value))


@lru_cache(maxsize=1_000)
def _parse_again(value: str) -> tuple[Address, ...]:
    """Remember the few addresses that most mail is from and to: parsing is a third of what a row costs."""
    return tuple(_read(value))


def _read(value: str) -> Iterator[Address]:
    return (address for item in _split(value) for address in _read_mailbox(item))


def format_address(address: Address) -> str:
    """Write ``Name <a@b>``, ``a@b`` or ``Name``, with the name in quotes if it could be misread."""
    name = address.name
    if name and could_be_misread(name):
        name = '"' + _SPECIAL.sub(r"\\\1", name) + '"'
    if name and address.address:
        return f"{name} <{address.address}>"
    written = name or address.address
    if not written or "@" in address.address or written.startswith('"'):
        return written
    # A list that was cut ends with a count or "…", which nothing without a domain may look like.
    is_like_end = any(map(str.isnumeric, written)) or not any(map(str.isalpha, written))
    return f'"{written}"' if is_like_end else written


def could_be_misread(name: str) -> bool:
    """Return whether a name has what parts addresses or puts something in brackets, or looks like it."""
    normal = unicodedata.normalize("NFKC", name)  # a Greek question mark is a semicolon
    return any(map(_NEEDS_QUOTES.search, {name, normal})) or any(
        unicodedata.category(each) in _BRACKETS for each in normal if not each.isascii()
    )


def is_seen_whole(address: str) -> bool:
    """Return whether cleaning (`clean_line`) leaves all of an address but white space between its words.

    Nor may it have joiners, which cleaning leaves in some scripts, or change when it is normalized (NFC), as
    the Kelvin sign does: in quotes it is. With "…" it would look cut.
    """
    if _UNSEEN.search(address) is not None or not unicodedata.is_normalized("NFC", address):
        return False
    return clean_line(address).text == " ".join(re.split(f"[{_FOLDING}]+", address))


def comment_end(value: str, start: int) -> int:
    """Return the offset after the comment that begins at `start`; -1 if it is not closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(value, start):
        depth += {"(": 1, ")": -1}.get(edge.group(), 0)
        if depth == 0:
            return edge.end()
    return -1


def blank_comments(value: str) -> str:
    """Replace each comment with a space. Quoted strings stay, and so does a comment without an end."""
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


def _tokens(value: str) -> Iterator[_Token]:
    """Yield the tokens of a value. Quoted strings and comments without an end go to its end, everywhere."""
    position = 0
    while position < len(value):
        start = position
        token, position = _next_token(value, position)
        if token == _OPEN:
            inside: list[_Token] = []
            while position < len(value) and value[position] != "<":
                token, position = _next_token(value, position)
                if token == _CLOSE:
                    break
                inside.append(token)
            # A comment at the end may not be closed, and the brackets aren't.
            address = "" if token.kind == "comment" else _without_comments(inside)
            token = _Token("angle", value[start:position], address)
        yield token


def _next_token(value: str, position: int) -> tuple[_Token, int]:
    """Return the token at an offset, and where it ends. ``<`` comes alone if more than words follow."""
    match = _TOKEN.match(value, position)
    assert match is not None  # noqa: S101 - any character is a token
    text = match.group()
    if text == "(":
        end = comment_end(value, position)
        end = end if end > 0 else len(value)
        return _Token("comment", value[match.end() : end].removesuffix(")")), end
    if match.lastgroup == "angle":
        return _Token("angle", text, text[1:-1]), match.end()
    return _Token(match.lastgroup or "other", text), match.end()


def _without_comments(tokens: list[_Token]) -> str:
    return "".join(" " if token.kind == "comment" else token.text for token in tokens)


def _split(value: str) -> list[list[_Token]]:
    """Split a list at its commas and group marks. An empty group comes as its name alone."""
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
        # Of several, the last is the address and the others are part of the name.
        last = angles[-1]
        address = _addr_spec(item[last].address)
        rest = item[:last] + item[last + 1 :] if address else item
    else:
        address = _addr_spec(_without_comments(item))
        if "@" not in address:
            address = ""
        rest = [token for token in item if token.kind == "comment"] if address else item
    name = _name(rest)
    if name or address:
        yield Address(name=name, address=address)


def _addr_spec(text: str) -> str:
    """Clean what is between angle brackets to an address; "" if it can't be one."""
    spec = _AROUND_DOTS.sub(r"\1\2", text.strip(_FOLDING))
    spec = _ROUTE.sub("", spec)
    if not is_seen_whole(spec):  # what is seen may be another address
        return ""
    cleaned = clean_line(spec).text
    if _ADDR_SPEC.fullmatch(cleaned) is not None:
        return cleaned
    return cleaned if _LOCAL_NAME.fullmatch(cleaned) is not None else ""


def _name(tokens: list[_Token]) -> str:
    """Decode the phrase. Comments are the name only if there is no phrase."""
    comments = [_unquote(token) for token in tokens if token.kind == "comment"]
    phrase = "".join(" " if token.kind == "comment" else _unquote(token) for token in tokens)
    for text in (phrase, " ".join(comments)):
        name = clean_line(decode_encoded_words(text.strip()).text).text
        if name and name != "<>":
            return name
    return ""


def _unquote(token: _Token) -> str:
    if token.kind == "comment":
        return _ESCAPED.sub(r"\1", token.text)
    if token.kind != "quoted":
        return token.text
    return _ESCAPED.sub(r"\1", token.text[1:].removesuffix('"') if len(token.text) > 1 else "")
