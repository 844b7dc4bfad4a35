"""East Asian charsets, decoded as browsers decode them (WHATWG Encoding Standard, sections 10 to 13).

Python's codecs hold nearly every row of the standard's indexes. This module adds the rows that they lack
or read differently, and the standard's rule for a damaged pair: the lead octet is lost, and so is the
next one unless it is ASCII. Python's codecs take the second octet for a lead, and garble what follows.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Final

_REPLACEMENT: Final = "\ufffd"
_PAIR_OCTETS: Final = 2

# A unit is a run of ASCII, or the octets of one character; a lead goes with whatever octet follows it.
_SHIFT_JIS_UNITS: Final = re.compile(rb"[\x00-\x7f]+|[\x81-\x9f\xe0-\xfc].?|.", re.DOTALL)
_EUC_JP_UNITS: Final = re.compile(rb"[\x00-\x7f]+|\x8f[\xa1-\xfe].?|[\x8e\x8f\xa1-\xfe].?|.", re.DOTALL)
_PAIR_UNITS: Final = re.compile(rb"[\x00-\x7f]+|[\x81-\xfe].?|.", re.DOTALL)
_GB18030_UNITS: Final = re.compile(
    rb"[\x00-\x7f]+|[\x81-\xfe][0-9][\x81-\xfe][0-9]|[\x81-\xfe](?:[0-9][\x81-\xfe]?)?\Z"
    rb"|[\x81-\xfe](?=[0-9])|[\x81-\xfe].|.",
    re.DOTALL,
)
_ISO_2022_JP_SHIFT: Final = re.compile(rb"\x1b(\([BIJ]|\$[@B]|\$\(D)|(?=[\r\n])")
_EUC_JP_PAIR: Final = re.compile(rb"[\xa1-\xfe]{2}")

_BIG5_ROWS: Final = """
877a㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋
8e69箸 8e6f簆 8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏 8fcb覦覩 8ffe起 906d都 907a銹
90dc靜 90f1響 91bf鼖 9244蔃 92af兙兛兝兞 92c8鍮 92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨
9b76爁 9b78矗 9b7b纇 9bc6駖 9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻 9c62營 9c68鄄 9c6b鷰 9c77菏 9cbc尐秣
9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢 9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏 a077拎 a0d5瑨
a0df煢 a0e4牐 a145‧ a14e﹑ a1c2¯ a1e3～ a1f2⊕⊙ a241∕﹨ a244￥ a246￠￡
a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴 c6d3无 c6d5癶 c6d7隶 c6de〃仝 fa5f倩 fa66偽 fabd包
fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤 fcb9撐 fce2晴 fcf1杞 fdb7沜渝 fdbb港 fdf1煮
fe52猪 fe6f瑜 feaa瓩 fedd砉
"""  # noqa: RUF001 - characters that look like others are the point
"""What `big5hkscs` lacks of HKSCS-2008 and ETEN, or reads in another way. Each word is a pair of octets in
hexadecimal, and the characters of that pair and of those that follow it."""

_GB18030_ROWS: Final[Mapping[bytes, str]] = {
    b"\x80": "€",
    b"\xa3\xa0": "\u3000",
    b"\xa8\xbc": "\u1e3f",
    **{bytes((0xA6, trail)): text for trail, text in zip(range(0xD9, 0xE0), "︐︒︑︓︔︕︖", strict=True)},
    **{bytes((0xA6, trail)): text for trail, text in zip(b"\xec\xed\xf3", "︗︘︙", strict=True)},
    **{bytes((0xFE, trail)): text for trail, text in zip(b"Yafgm~\x90\xa0", "龴龵龶龷龸龹龺龻", strict=True)},
}
"""GB 18030-2022 has characters of Unicode where Python has private ones; and browsers add two."""


class _Characters(dict[bytes, str]):
    """The text of each unit of a charset, decoded when it first occurs."""

    def __init__(self, character: Callable[[bytes], str | None]) -> None:
        super().__init__()
        self._character = character

    def __missing__(self, unit: bytes) -> str:
        if unit.isascii():
            return unit.decode("ascii")
        text = self._character(unit)
        if text is None:
            kept = unit[1:][-1:]
            text = _REPLACEMENT + (kept.decode("ascii") if kept.isascii() else "")
        if len(unit) <= _PAIR_OCTETS:  # longer units are too many to remember
            self[unit] = text
        return text


def _decoder(units: re.Pattern[bytes], character: Callable[[bytes], str | None]) -> Callable[[bytes], str]:
    characters = _Characters(character)
    return lambda octets: "".join(map(characters.__getitem__, units.findall(octets)))


def _python(unit: bytes, codec: str) -> str | None:
    try:
        return unit.decode(codec)
    except UnicodeDecodeError:
        return None


def _euc_kr(unit: bytes) -> str | None:
    return _python(unit, "cp949")


def _big5(unit: bytes) -> str | None:
    return _big5_rows().get(unit) or _python(unit, "big5hkscs")


@cache
def _big5_rows() -> Mapping[bytes, str]:
    pairs = list(map(bytes, product(range(0x81, 0xFF), (*range(0x40, 0x7F), *range(0xA1, 0xFF)))))
    rows: dict[bytes, str] = {}
    for run in _BIG5_ROWS.split():
        first = pairs.index(bytes.fromhex(run[:4]))
        rows |= zip(pairs[first:], run[4:], strict=False)
    return MappingProxyType(rows)


def _gb18030(unit: bytes) -> str | None:
    text = _GB18030_ROWS.get(unit) or _python(unit, "gb18030")
    # Of four octets none is kept, although the last one is a digit.
    return _REPLACEMENT if text is None and unit[1:2].isdigit() else text


def _shift_jis(unit: bytes) -> str | None:
    return None if unit in (b"\xa0", b"\xfd", b"\xfe", b"\xff") else _python(unit, "cp932")


def _euc_jp(unit: bytes) -> str | None:
    return _euc_jp_rows().get(unit) or (_python(unit, "euc_jp") if unit[:1] in b"\x8e\x8f" else None)


@cache
def _euc_jp_rows() -> Mapping[bytes, str]:
    """Read JIS X 0208 from code page 932, which has NEC's row 13 and IBM's extensions in it."""
    euc_jp = product(range(0xA1, 0xFF), repeat=2)
    shift_jis = product((*range(0x81, 0xA0), *range(0xE0, 0xF0)), (*range(0x40, 0x7F), *range(0x80, 0xFD)))
    rows = {bytes(pair): _python(bytes(same), "cp932") for pair, same in zip(euc_jp, shift_jis, strict=True)}
    known = {pair: text for pair, text in rows.items() if text is not None}
    return MappingProxyType(known | {b"\x8f\xa2\xb7": "～"})  # noqa: RUF001 - JIS X 0212 has the fullwidth one


_decode_euc_jp: Final = _decoder(_EUC_JP_UNITS, _euc_jp)

_NOT_ASCII: Final = (0x1B, *range(0x80, 0x100))
_ASCII: Final = dict.fromkeys(_NOT_ASCII, _REPLACEMENT)
_ROMAN: Final = _ASCII | {ord("\\"): "¥", ord("~"): "‾"}
_KATAKANA: Final = dict.fromkeys((*_NOT_ASCII, *range(0x60, 0x80)), _REPLACEMENT) | {
    octet: chr(0xFF61 + number) for number, octet in enumerate(range(0x21, 0x60))
}
_TO_EUC_JP: Final = bytes.maketrans(
    bytes((*range(0x21, 0x7F), *_NOT_ASCII)), bytes(range(0xA1, 0xFF)) + b"\x80" * len(_NOT_ASCII)
)


def _decode_iso_2022_jp(octets: bytes) -> str:
    """Read JIS X 0208 and 0212 by way of EUC-JP, where they have the eighth bit set.

    More tolerant than the standard: a line begins in ASCII (RFC 1468), and white space is kept everywhere.
    """
    return "".join(_iso_2022_jp_runs(octets))


def _iso_2022_jp_runs(octets: bytes) -> Iterator[str]:
    pieces = _ISO_2022_JP_SHIFT.split(octets)
    shifts = pieces[1::2]
    for shift, run, following in zip([None, *shifts], pieces[::2], [*shifts, None], strict=True):
        if shift and following and not run:
            yield _REPLACEMENT  # as in the standard: nothing may join what two escape sequences part
        match shift or b"(B":
            case b"$@" | b"$B":
                yield _decode_euc_jp(run.translate(_TO_EUC_JP))
            case b"$(D":
                yield _decode_euc_jp(_EUC_JP_PAIR.sub(b"\x8f\\g<0>", run.translate(_TO_EUC_JP)))
            case b"(I":
                yield run.decode("latin-1").translate(_KATAKANA)
            case b"(J":
                yield run.decode("latin-1").translate(_ROMAN)
            case _:
                yield run.decode("latin-1").translate(_ASCII)


_DECODERS: Final[Mapping[str, Callable[[bytes], str]]] = MappingProxyType(
    dict.fromkeys(("iso2022_jp", "iso2022_jp_ext"), _decode_iso_2022_jp)
    | dict.fromkeys(("euc_jp",), _decode_euc_jp)
    | dict.fromkeys(("shift_jis", "cp932"), _decoder(_SHIFT_JIS_UNITS, _shift_jis))
    | dict.fromkeys(("big5", "big5hkscs", "cp950"), _decoder(_PAIR_UNITS, _big5))
    | dict.fromkeys(("euc_kr", "cp949"), _decoder(_PAIR_UNITS, _euc_kr))
    | dict.fromkeys(("gb2312", "gbk", "gb18030"), _decoder(_GB18030_UNITS, _gb18030))
)


def find_decoder(codec: str) -> Callable[[bytes], str] | None:
    """Return the decoder that replaces one of Python's codecs; None where Python's is good.

    Args:
        codec: The name that `codecs.lookup` returns.
    """
    return _DECODERS.get(codec)
