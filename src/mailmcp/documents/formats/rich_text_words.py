"""Words of RTF: which groups are no text, which words are characters, which charset is which."""

from collections.abc import Mapping
from typing import Final

from mailmcp.documents.flow import CELL_BREAK

LEFT_OUT: Final = frozenset(
    {
        "fonttbl", "colortbl", "stylesheet", "info", "pict", "objdata", "fldinst", "nonshppict",
        "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf",
        "sp", "xe", "tc", "rxe", "txe", "filetbl", "pntxta", "pntxtb",
    }
)  # fmt: skip
"""Destinations that hold no text of the document, or say the same on every page."""

STARRED: Final = frozenset({"shpinst", "shptxt"})
"""Groups that old readers skip (``\\*``), and that hold text: text boxes."""

CHARACTERS: Final[Mapping[str, str]] = {
    "tab": "\t",
    "cell": CELL_BREAK,
    "nestcell": CELL_BREAK,
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
}

CHARSETS: Final[Mapping[int, str]] = {
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""Codecs of ``\\fcharset``."""
