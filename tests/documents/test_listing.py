"""Names of files inside of others."""

import io

import pytest

from documents.reading import writer
from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.listing import Names, read_bounded, write_entry


def test_names_are_clean_and_each_different() -> None:
    names = Names()
    added = [names.add(each) for each in ("a", "a", "a (2)", "a", "x\u202ey\nz", "", "\u200b", "../../etc/x")]
    assert added == ["a", "a (2)", "a (2) (2)", "a (3)", "xy z", "unnamed", "unnamed (2)", "../../etc/x"]


def test_long_names_fit_an_argument() -> None:
    names = Names()
    assert [len(names.add("n" * 70_000)) for _ in range(2)] == [255, 259]
    assert names.add("p" * 300 + ".pdf.exe") == "\u2026" + "p" * 246 + ".pdf.exe"


def test_many_names_alike_take_linear_time() -> None:
    names = Names()
    assert names.add("a") == "a"
    assert [names.add("a") for _ in range(limits.ARCHIVE_ENTRIES_MAX)][-1] == "a (10001)"


@pytest.mark.parametrize(
    ("size", "remark", "line"),
    [(3, "", "3 octets: x"), (None, "", "size unknown: x"), (1, "encrypted", "1 octet, encrypted: x")],
)
def test_entries(size: int | None, remark: str, line: str) -> None:
    out = writer()
    write_entry(out, "x", size, remark)
    assert out.result()["text"] == line


def test_reading_stops_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EXTRACT_OCTETS_MAX", 5)
    assert read_bounded(io.BytesIO(b"12345"), writer()) == b"12345"
    with pytest.raises(UnreadableError) as refused:
        read_bounded(io.BytesIO(b"123456"), writer())
    assert refused.value.cause is Cause.TOO_LARGE
