"""A saved file has a harmless name of its own, in its folder and over nothing."""

import re
import resource
import signal
import stat
import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.mime.structure import Part
from mailmcp.reasons import Reason
from mailmcp.tools.attachment import save
from mailmcp.tools.attachment.save import safe_filename, save_file
from mcp_envelope import InternalError


def part(filename: str, content_type: str = "application/pdf") -> Part:
    return Part(part_id="2.1", content_type=content_type, filename=filename)


@pytest.mark.parametrize(
    ("filename", "content_type", "expected"),
    [
        ("U\u0308bersicht 2026 - Käthe.pdf", "", "Übersicht 2026 - Käthe.pdf"),
        ("../../etc/passwd", "", "_.._etc_passwd"),
        ("C:\\Windows\\x.dll", "", "C__Windows_x.dll"),
        (".bashrc", "", "bashrc"),
        ("a.txt. . ", "", "a.txt"),
        ("a\r\nb\0c\x1b[31m\u202e.txt", "", "a b c [31m.txt"),
        ("nul.txt", "", "_nul.txt"),
        ("com1.tar.gz", "", "_com1.tar.gz"),
        ("console.txt", "", "console.txt"),
        ("\ud800x.txt", "", "_x.txt"),
        ("日" * 100 + ".pdf", "", "日" * 83 + ".pdf"),
        ("...", "application/pdf", "part-2.1.pdf"),
        ("", "message/rfc822", "part-2.1.eml"),
        ("", "image/jpeg", "part-2.1.jpg"),
        ("", "text/calendar", "part-2.1.ics"),
        ("", "application/x-nobody-knows", "part-2.1.bin"),
    ],
)
def test_names_are_made_harmless_and_stay_readable(filename: str, content_type: str, expected: str) -> None:
    assert safe_filename(part(filename, content_type)) == expected


@given(filename=st.text(max_size=400) | st.text("./\\:~-. con.aux\0\u202e\u0308😀", max_size=400))
def test_no_name_is_a_path_or_anything_else_but_a_name(
    tmp_path_factory: pytest.TempPathFactory, filename: str
) -> None:
    folder = tmp_path_factory.mktemp("outer") / "folder"
    folder.mkdir()
    paths = [save_file(folder, part(filename), octets) for octets in (b"1", b"2")]
    assert sorted(folder.parent.rglob("*")) == sorted([folder, *paths])
    assert [path.read_bytes() for path in paths] == [b"1", b"2"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
    for name in (path.name for path in paths):
        assert name == PurePosixPath(name).name == PureWindowsPath(name).name
        assert 0 < len(name.encode()) <= 255
        assert name[0] not in ". -~"
        assert name[-1] not in " ."
        assert not re.search(r'[<>:"/\\|?*\x00-\x1f\x7f]', name)
        assert not [char for char in name if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}]
        assert not re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", name.split(".")[0].strip())


@pytest.mark.parametrize(
    ("filename", "second"),
    [
        ("a.tar.gz", "a.tar (2).gz"),
        ("a.with a long tail that is no extension", "a.with a long tail that is no extension (2)"),
        ("x" * 300 + ".pdf", "x" * 247 + " (2).pdf"),
    ],
)
def test_a_taken_name_gets_a_number(tmp_path: Path, filename: str, second: str) -> None:
    """Also if it is a link, which isn't followed."""
    (tmp_path / safe_filename(part(filename))).symlink_to(tmp_path / "nowhere")
    assert save_file(tmp_path, part(filename), b"new").name == second
    assert not (tmp_path / "nowhere").exists()


def test_a_failed_save_leaves_nothing_behind_and_says_what_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(InternalError, match=r"File too large.*save_folder") as caught:
            save_file(tmp_path, part("a.txt"), bytes(2_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert list(tmp_path.iterdir()) == []
    assert caught.value.reason is Reason.SAVE_FAILED
    assert str(tmp_path) not in caught.value.message
    monkeypatch.setattr(save, "_NAMES_TRIED_MAX", 1)
    save_file(tmp_path, part("a.txt"), b"x")
    with pytest.raises(InternalError, match="must delete some"):
        save_file(tmp_path, part("a.txt"), b"x")
