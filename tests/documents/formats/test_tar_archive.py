"""Archives of tar, and single compressed files."""

import gzip
import io

import pytest

from documents.reading import file_inside, read_with, writer
from documents.tars import COMPRESSIONS, tarred
from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.tar_archive import files, read

FILES = [("a.txt", b"one"), ("d/b.txt", b"two"), ("a.txt", b"three"), ("../x", b"four"), ("k\xe4se", b"")]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_files_are_listed_by_name_and_read_by_it(compression: str) -> None:
    content = COMPRESSIONS[compression](tarred(FILES, ("link", "/etc/passwd"), ("up", "../../x")))
    lines = read_with(read, content).text.splitlines()
    assert lines == [
        "3 octets: a.txt",
        "3 octets: d/b.txt",
        "5 octets: a.txt (2)",
        "4 octets: ../x",
        "0 octets: k\xe4se",
        "0 octets, not a file: link",
        "0 octets, not a file: up",
        "0 octets, not a file: device",
    ]
    names = [line.partition(": ")[2] for line in lines]
    read_back = [file_inside(files, content, name) for name in names[:5]]
    assert read_back == [each for _, each in FILES]
    assert {file_inside(files, content, name) for name in names[5:]} == {Cause.NOT_A_FILE}
    assert file_inside(files, content, "folder") is Cause.NO_MEMBER


@pytest.mark.parametrize("compression", ["gz", "bz2", "xz"])
def test_a_single_text_is_read_and_a_single_file_listed(compression: str) -> None:
    text = "Zeile ä\nline 2"
    assert read_with(read, COMPRESSIONS[compression](text.encode())).text == text
    binary = COMPRESSIONS[compression](b"\0binary")
    assert read_with(read, binary).text == "size unknown: content"
    assert file_inside(files, binary, "content") == b"\0binary"


def test_what_unfolds_beyond_the_limit_is_listed_up_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ARCHIVE_OCTETS_MAX", 100_000)
    content = gzip.compress(tarred([("small", b"x"), ("large", bytes(1_000_000)), ("after", b"y")]))
    out = writer()
    with pytest.raises(UnreadableError) as refused:
        read(io.BytesIO(content), out)
    assert refused.value.cause is Cause.TOO_LARGE
    assert out.result()["text"] == "1 octet: small\n1000000 octets: large"
    assert file_inside(files, content, "small") == b"x"
    assert file_inside(files, content, "after") is Cause.TOO_LARGE
