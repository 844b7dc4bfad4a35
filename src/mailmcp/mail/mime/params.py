"""Parameters of Content-Type and Content-Disposition (RFC 2045 section 5.1, RFC 2231).

Handles quoting, continuations (``name*0``), the charset extension (``name*=``) and the encoded words
that senders put there against RFC 2047. What a parameter means is up to
`mailmcp.mail.mime.structure`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from mailmcp.mail.charset.decode import decode_text
from mailmcp.mail.clean import blank_controls
from mailmcp.mail.header.fields import decode_encoded_words

_PARAMS_MAX: Final = 100
_PARAM: Final = re.compile(
    r"""
      [;\s]*+
      (?P<name>[^\s=;"]++) \s*+ = \s*+
      (?: "(?P<quoted>(?:[^"\\]|\\(?:.|\Z))*+)(?:"|\Z) | (?P<token>[^;]*+) )
    | [;\s]++ [^;]*+ | [^;]++
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT: Final = re.compile(r"\s\([^()]*\)")
_ESCAPED: Final = re.compile(r'\\(["\\])')  # only these: the file name "C:\new" was never escaped
_DECLARED_CHARSET: Final = re.compile(r"([^']*)'[^']*'")
# Undeclared percent-encoding: a space, or the beginning of a character beyond ASCII, gives it away.
_PERCENT: Final = re.compile(r"%(?:20|[C-Fc-f][0-9A-Fa-f]%[89A-Fa-f])")
_NAMES: Final = frozenset({"filename", "name"})
_SECTION: Final = re.compile(r"(?P<name>[^*]+)(?:\*(?P<number>\d{1,3}))?(?P<extended>\*)?")


def parse_parameterised(value: str) -> tuple[str, dict[str, str]]:
    """Split a header value such as ``text/plain; charset=utf-8``.

    Args:
        value: One unfolded line, with its encoded words.

    Returns:
        The leading value in lower case, and the decoded parameters by lower-case name. Either may
        be empty.
    """
    main, _, rest = value.partition(";")
    pairs: list[tuple[str, str]] = []
    for match in _PARAM.finditer(rest.strip("; \t")):
        if match["name"] is None or len(pairs) >= _PARAMS_MAX:
            continue
        if match["quoted"] is not None:
            pairs.append((match["name"], _ESCAPED.sub(r"\1", match["quoted"])))
        else:
            pairs.append((match["name"], _COMMENT.sub("", match["token"] or "").strip()))
    return _COMMENT.sub("", main).strip().lower(), decode_parameters(pairs)


def decode_parameters(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Decode raw parameters: join continuations, decode percent-encoding and encoded words.

    Args:
        pairs: Names and unquoted values, in order. The first of a repeated name counts; the extended
            form wins over the plain one (RFC 2231 section 4).

    Returns:
        Values on one line, by lower-case name.
    """
    plain: dict[str, str] = {}
    sections: dict[str, dict[int, tuple[str, bool]]] = {}
    for raw_name, value in pairs:
        match = _SECTION.fullmatch(raw_name.strip().lower())
        if match is None or (match["number"] is None and match["extended"] is None):
            name = raw_name.strip().lower()
            decoded = decode_encoded_words(value).text
            decoded = _unpercent(decoded) if name in _NAMES else decoded
            plain.setdefault(name, blank_controls(decoded).strip())
            continue
        known = sections.setdefault(match["name"], {})
        known.setdefault(int(match["number"] or 0), (value, match["extended"] is not None))
    return plain | {name: _join_sections(known) for name, known in sections.items()}


def _unpercent(name: str) -> str:
    """Decode a percent-encoded file name, if it is UTF-8."""
    if _PERCENT.search(name) is None:
        return name
    try:
        return unquote_to_bytes(name).decode("utf-8")
    except UnicodeDecodeError:
        return name


def _join_sections(sections: Mapping[int, tuple[str, bool]]) -> str:
    """Join numbered sections. The first extended one names the charset (RFC 2231 section 4.1)."""
    charset = ""
    octets = b""
    for number in sorted(sections):
        value, extended = sections[number]
        if not extended:
            octets += value.encode("utf-8", "replace")
            continue
        declared = _DECLARED_CHARSET.match(value) if not charset else None
        if declared is not None:
            charset, value = declared[1], value[declared.end() :]
        octets += unquote_to_bytes(value)
    decoded = decode_text(octets, charset).text
    # Some senders use encoded words in each section instead of percent-encoding.
    return blank_controls(decode_encoded_words(decoded).text).strip()
