"""Whatever a stranger calls a file, its name is a name: on every system, and in its folder."""

import re
import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.limits import SAVED_NAME_OCTETS_MAX
from mailmcp.tools.attachment.name import numbered, safe_filename


def name(filename: str, content_type: str = "application/pdf") -> str:
    return safe_filename(filename, content_type=content_type, part_id="2.1")


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("report.pdf", "report.pdf"),
        ("Übersicht 2026 – Käthe.pdf", "Übersicht 2026 – Käthe.pdf"),  # noqa: RUF001 - a name
        ("U\u0308bersicht.pdf", "Übersicht.pdf"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("C:\\Windows\\x.dll", "C__Windows_x.dll"),
        (".bashrc", "bashrc"),
        ("...", "part-2.1.pdf"),
        ("-rf", "rf"),
        ("~root", "root"),
        ("a.txt. . ", "a.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("a\u200bb.txt", "ab.txt"),
        ("a\r\nb\0c\x1b[31m.txt", "a b c [31m.txt"),
        ("CON", "_CON"),
        ("Clock$", "_Clock$"),
        ("nul.txt", "_nul.txt"),
        ("com1.tar.gz", "_com1.tar.gz"),
        ("COM¹.txt", "_COM¹.txt"),
        ("lpt9 .txt", "_lpt9 .txt"),
        ("console.txt", "console.txt"),
        ('a<b>c:d"e|f?g*.txt', "a_b_c_d_e_f_g_.txt"),
        ("file.txt:stream", "file.txt_stream"),
        ("\ud800x.txt", "_x.txt"),
        ("", "part-2.1.pdf"),
        (" / ", "part-2.1.pdf"),
    ],
)
def test_names_are_made_harmless_and_stay_readable(filename: str, expected: str) -> None:
    assert name(filename) == expected


@pytest.mark.parametrize(
    ("content_type", "extension"),
    [
        ("message/rfc822", ".eml"),
        ("image/jpeg", ".jpg"),
        ("image/png", ".png"),
        ("text/csv", ".csv"),
        ("application/zip", ".zip"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"),
        ("application/x-nobody-knows", ".bin"),
    ],
)
def test_a_file_without_a_name_gets_one_by_its_type(content_type: str, extension: str) -> None:
    assert name("", content_type) == f"part-2.1{extension}"


@given(filename=st.text(max_size=400) | st.text("./\\:~-. con.aux\u202e\u0308😀", max_size=400))
def test_no_name_is_a_path_or_anything_else_but_a_name(filename: str) -> None:
    found = name(filename)
    for number in (1, 2, 1000):
        each = numbered(found, number)
        assert each == PurePosixPath(each).name == PureWindowsPath(each).name
        assert 0 < len(each.encode()) <= SAVED_NAME_OCTETS_MAX
        assert each[0] not in ". -~"
        assert each[-1] not in " ."
        assert not re.search(r'[<>:"/\\|?*\x00-\x1f\x7f]', each)
        assert not [char for char in each if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}]
        assert not re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", each.split(".")[0].strip())


@pytest.mark.parametrize(
    ("given_name", "number", "expected"),
    [
        ("a.pdf", 1, "a.pdf"),
        ("a.pdf", 2, "a (2).pdf"),
        ("a.tar.gz", 3, "a.tar (3).gz"),
        ("a", 2, "a (2)"),
        ("a.with a long tail that is no extension", 2, "a.with a long tail that is no extension (2)"),
        ("x" * 300 + ".pdf", 2, "x" * 247 + " (2).pdf"),
        ("日" * 100 + ".pdf", 1, "日" * 83 + ".pdf"),
        ("x" * 250 + ". " + "y" * 50, 1, "x" * 250 + ". yyy"),
    ],
)
def test_a_number_goes_before_the_extension_and_the_length_is_bounded(
    given_name: str, number: int, expected: str
) -> None:
    assert numbered(given_name, number) == expected
