"""Compressed RTF, with the examples of [MS-OXRTFCP] section 3."""

import pytest

from documents.tnef_file import packed_rtf, stored_rtf
from mailmcp.documents.formats.compressed_rtf import decompress_rtf

_HELLO = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
_LOOP = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")


@pytest.mark.parametrize(
    ("packed", "rtf"),
    [
        (_HELLO, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"),
        (_LOOP, b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"),
        (stored_rtf(b"{\\rtf1 x}"), b"{\\rtf1 x}"),
        (packed_rtf(b"", [(0, 6)]), b"{\\rtf1"),
    ],
)
def test_examples(packed: bytes, rtf: bytes) -> None:
    assert decompress_rtf(packed) == rtf
