"""RTF, also such as no program writes."""

import pytest

from documents.reading import read_with
from mailmcp.documents.formats.rich_text import read


def _text(rtf: bytes) -> str:
    return read_with(read, rb"{\rtf1\ansi " + rtf + b"}").text


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (rb" a\par b\line c\tab d\page e", "a\nb\nc\td\ne"),
        (rb"\ansicpg1252 Gr\'fc\'dfe", "Grüße"),
        (rb"\ansicpg1251 \'cf\'f0", "Пр"),
        (rb"\ansicpg99999 \'fc", "ü"),
        (rb"\ansicpg932 \'93\'fa\'96\'7b\'83A", "日本ア"),
        (rb"\ansicpg932 \'93{}x", "\ufffdx"),
        (rb"\u26085?\u26412 ?x", "日本x"),
        (rb"\uc2\u26085??x\uc0\u26412 y", "日x本y"),
        (rb"\u-10179?\u-8704?", "\U0001f600"),
        (rb"\u-10179? alone", "\ufffd alone"),
        (rb"\u26085\'3f\'41", "日A"),
        (
            rb"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset42 C;}}"
            rb"\f1 \'cf{\f2 \'fc}\plain \'fc",
            "Пüü",
        ),
        (rb"\{a\}\\b\~c\_d\-e\?f", "{a}\\b\u00a0c-def"),
        (rb"a\'zz", "azz"),
        (rb"{\info\emdash\u65 ?}x", "x"),
        (rb"\'fc\~\par\par " + b"\r\nx\r\n\r\ny", "ü\nxy"),
        (b"one\\\ntwo", "one\ntwo"),
        (rb"{\info{\title secret}}{\*\generator X;}{\field{\*\fldinst HYPERLINK}{\fldrslt shown}}", "shown"),
        (rb"{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt box}}", "box"),
        (rb"x{\footnote note}y", "x [note] y"),
        (rb"{\header\par head}body", "body"),
        (rb"\trowd\intbl a\par b\cell c\cell\row\pard after", "a b | c\nafter"),
        (rb"\bin5 }}}}}after", "after"),
        (rb"\bin-5 after", "after"),
        (rb"\lquote a\rquote\emdash\bullet", "\u2018a\u2019\u2014\u2022"),
        (rb"}}} still there", "still there"),
        (b"\r\n\\pard Hello\r\n\\par World\n\\tab x\n\\'fc\n\\\\", "Hello\nWorld\tx\xfc\\"),
    ],
)  # fmt: skip
def test_text(rtf: bytes, text: str) -> None:
    assert _text(rtf) == text


def test_hidden_and_deleted_text_is_left_out_and_counted() -> None:
    reading = read_with(read, rb"{\rtf1 a{\v unseen}b\v c\v0 d{\deleted old}\v e\plain f}")
    assert reading.text == "abdf"
    assert reading.notes == ["Removed 11 hidden characters."]


def test_groups_without_end_end() -> None:
    reading = read_with(read, rb"{\rtf1 x\par " + b"{" * 5_000 + b"y")
    assert (reading.text, reading.truncated) == ("x", True)
    assert reading.notes == ["The document nests too deeply: only its beginning was read."]


def test_many_tokens_look_at_the_clock_and_take_linear_time() -> None:
    assert _text(rb"\b" * 100_000 + b"{\\pict " + b"0" * 1_000_000 + b"}end") == "end"
