"""Files come from the user's folder alone, and only so much of them as mail carries."""

import os
from pathlib import Path

import pytest

from mailmcp.reasons import Reason
from mailmcp.tools.draft.files import FILES_OCTETS_MAX, read_files
from mcp_envelope import InvalidInputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, beside a secret one, and ways that lead there."""
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "out"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.pdf").write_bytes(b"%PDF\0")
    (folder / "Über uns.tar.gz").write_bytes(b"x")
    (folder / ".netrc").write_text("secret")
    (folder / "sub" / "b.txt").write_text("b")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "inner.txt").symlink_to(folder / "a.pdf")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    return folder


def test_files_are_read_with_their_types(folder: Path) -> None:
    found = read_files(folder, ["a.pdf", "Über uns.tar.gz"])
    assert [(each.name, each.content_type, each.octets) for each in found] == [
        ("a.pdf", "application/pdf", b"%PDF\0"),
        ("Über uns.tar.gz", "application/octet-stream", b"x"),
    ]
    assert read_files(None, []) == ()


@pytest.mark.parametrize(
    "name",
    [
        *("../secret.txt", "..", ".", "", "/etc/hostname", "sub/b.txt", "sub/../a.pdf", "./a.pdf", "a.pdf/"),
        *("link.txt", "inner.txt", "up/secret.txt", "up", "sub", "pipe", ".netrc", "missing.txt"),
        *("..\\secret.txt", "sub\\b.txt", "~/a.pdf", "x" * 300),
    ],
)
def test_nothing_else_is_read(name: str, folder: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_files(folder, ["a.pdf", name])
    assert caught.value.problems[0].field == "attachments"
    assert 'Its files: "a.pdf", "Über uns.tar.gz".' in caught.value.message
    assert "secret" not in caught.value.message


def test_a_link_that_takes_the_place_of_a_file_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at its name and its opening."""
    monkeypatch.setattr(Path, "is_symlink", lambda _: False)
    with pytest.raises(InvalidInputError):
        read_files(folder, ["link.txt"])


def test_files_are_no_larger_than_mail_carries(folder: Path) -> None:
    half = bytes(FILES_OCTETS_MAX // 2)
    (folder / "half").write_bytes(half)
    (folder / "rest").write_bytes(half)
    (folder / "byte").write_bytes(b"x")
    assert sum(len(each.octets) for each in read_files(folder, ["half", "rest"])) == FILES_OCTETS_MAX
    with pytest.raises(InvalidInputError) as caught:
        read_files(folder, ["half", "byte", "rest"])
    assert caught.value.reason is Reason.TOO_LARGE
    with (folder / "huge").open("wb") as file:
        file.truncate(10**12)  # it takes no room on the disk, and none here
    with pytest.raises(InvalidInputError) as caught:
        read_files(folder, ["huge"])
    assert caught.value.reason is Reason.TOO_LARGE


def test_without_a_folder_nothing_is_attached() -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_files(None, ["a.pdf"])
    assert caught.value.reason is Reason.SWITCHED_OFF
    assert "attach_folder" in caught.value.message
