"""East Asian charsets by Python's codecs, where these lose more than browsers do.

A damaged pair costs itself alone (WHATWG Encoding Standard, sections 10 to 13): the lead octet is lost, so is
the next one unless it is ASCII. Of each charset the superset that mail uses is read: NEC's and IBM's rows (①,
㈱) in every Japanese one, HKSCS in Big5.
"""

import codecs
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_REPLACEMENT: Final = "\ufffd"
_SKIP: Final = "mailmcp.skip_pair"
_LINE_END: Final = re.compile(rb"[\r\n]+")

SUPERSETS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("shift_jis", "cp932"), "cp932")
    | dict.fromkeys(("big5", "big5hkscs", "cp950"), "cp950")
    | dict.fromkeys(("euc_kr", "cp949"), "cp949")
    | dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030")
    | dict.fromkeys(("iso2022_jp", "iso2022_jp_ext"), "iso2022_jp_ext")
    | {"euc_jp": "euc_jp"}
)
"""What `decode_pairs` reads, by the names that `codecs.lookup` returns."""


def decode_pairs(octets: bytes, codec: str) -> str:
    """Decode text in one of SUPERSETS, with U+FFFD for what is damaged."""
    superset = SUPERSETS[codec]
    if superset.startswith("iso2022"):
        octets = _LINE_END.sub(b"\x1b(B\\g<0>", octets)  # a line begins in ASCII (RFC 1468)
    return octets.decode(superset, _SKIP)


def _skip_pair(error: UnicodeError) -> tuple[str, int]:
    """Read what a codec lacks of its charset, or skip a damaged pair."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - registered for decoding alone
    pair = error.object[error.start : error.start + 2]
    length = 2 if len(pair) == 2 and pair[1] >= 0x80 else 1
    text = _REPLACEMENT
    if error.encoding == "euc_jp" and len(pair) == 2 and min(pair) > 0xA0:
        text = _shift_jis(pair).decode("cp932", "replace")
    elif error.encoding == "iso2022_jp_ext" and len(pair) == 2 and 0x20 < min(pair) <= max(pair) < 0x7F:
        text, length = _shift_jis(bytes(octet | 0x80 for octet in pair)).decode("cp932", "replace"), 2
    elif error.encoding == "cp950" and len(pair) == 2:
        text = pair.decode("big5hkscs", "replace")
        length = 2 if _REPLACEMENT not in text else length
    elif error.encoding == "gb18030" and pair[:1] == b"\x80":
        text, length = "€", 1  # as Windows writes it
    return text if _REPLACEMENT not in text else _REPLACEMENT, error.start + length


def _shift_jis(pair: bytes) -> bytes:
    """Return the octets in Shift_JIS of a pair in EUC-JP, which has the same rows in another layout."""
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + (0x9F if row % 2 else 0x40)
    return bytes((lead, trail + (1 if not row % 2 and trail >= 0x7F else 0)))


codecs.register_error(_SKIP, _skip_pair)
