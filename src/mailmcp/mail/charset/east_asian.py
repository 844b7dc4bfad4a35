"""East Asian charsets by Python's codecs, where these lose more than browsers do.

A damaged pair costs itself alone (WHATWG Encoding Standard, sections 10 to 13): the lead octet is lost, so is
the next one unless it is ASCII. Python's codecs take the second octet for a lead, and garble what follows.
Of each charset the superset that mail uses is read: NEC's and IBM's rows (①, ㈱) in every Japanese one, HKSCS
in Big5.
"""

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

_REPLACEMENT: Final = "\ufffd"
_SKIP: Final = "mailmcp.skip_pair"
_ISO_2022_JP_SHIFT: Final = re.compile(rb"\x1b(\([BIJ]|\$[@B]|\$\(D)|(?=[\r\n])")
_PAIR: Final = re.compile(rb"[\x21-\x7e]{2}")

_CODECS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("shift_jis", "cp932"), "cp932")
    | dict.fromkeys(("big5", "big5hkscs", "cp950"), "cp950")
    | dict.fromkeys(("euc_kr", "cp949"), "cp949")
    | dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030")
    | {"euc_jp": "euc_jp"}
)


def find_decoder(codec: str) -> Callable[[bytes], str] | None:
    """Return the decoder that replaces one of Python's codecs; None where Python's is good.

    Args:
        codec: The name that `codecs.lookup` returns.
    """
    if codec in ("iso2022_jp", "iso2022_jp_ext"):
        return _decode_iso_2022_jp
    superset = _CODECS.get(codec)
    return None if superset is None else lambda octets: octets.decode(superset, _SKIP)


def _decode_iso_2022_jp(octets: bytes) -> str:
    """Decode by way of EUC-JP; a line begins in ASCII (RFC 1468)."""
    return "".join(_iso_2022_jp_runs(octets))


def _iso_2022_jp_runs(octets: bytes) -> Iterator[str]:
    pieces = _ISO_2022_JP_SHIFT.split(octets)
    shifts = pieces[1::2]
    for shift, run, following in zip([None, *shifts], pieces[::2], [*shifts, None], strict=True):
        if shift and following and not run:
            yield _REPLACEMENT  # as in the standard: nothing may join what two escape sequences part
        match shift:
            case b"$@" | b"$B":
                yield _PAIR.sub(_with_eighth_bit, run).decode("euc_jp", _SKIP)
            case b"$(D":
                yield _PAIR.sub(lambda pair: b"\x8f" + _with_eighth_bit(pair), run).decode("euc_jp", _SKIP)
            case b"(I":
                yield bytes(octet | 0x80 if octet > 0x20 else octet for octet in run).decode("cp932", _SKIP)
            case b"(J":
                yield run.decode("ascii", "replace").replace("\\", "¥").replace("~", "‾")
            case _:
                yield run.decode("ascii", "replace")


def _with_eighth_bit(pair: re.Match[bytes]) -> bytes:
    return bytes(octet | 0x80 for octet in pair.group())


def _skip_pair(error: UnicodeError) -> tuple[str, int]:
    """Read what a codec lacks of its charset, or skip a damaged pair."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - registered for decoding alone
    pair = error.object[error.start : error.start + 2]
    length = 2 if len(pair) == 2 and pair[1] >= 0x80 else 1
    text = _REPLACEMENT
    if error.encoding == "euc_jp" and len(pair) == 2 and min(pair) > 0xA0:
        text = _shift_jis(pair).decode("cp932", "replace")
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
