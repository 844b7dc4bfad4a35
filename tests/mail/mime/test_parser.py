import pytest

from mailmcp.mail.header.fields import HEADER_FIELD_OCTETS_MAX
from mailmcp.mail.mime.parser import NO_BOUNDARY, split_message
from mailmcp.mail.mime.structure import Part
from steps import assert_linear


def message(body: str, content_type: str = "multipart/mixed; boundary=b") -> bytes:
    return f"Content-Type: {content_type}\n\n{body}".replace("\n", "\r\n").encode()


def contents(octets: bytes, *, complete: bool = True) -> dict[str, bytes]:
    spans = split_message(octets, complete=complete).spans
    return {part_id: octets[span.start : span.end] for part_id, span in spans.items()}


def outline(part: Part | None) -> list[tuple[str, str]]:
    if part is None:
        return []
    return [(part.part_id, part.content_type), *(line for child in part.parts for line in outline(child))]


@pytest.mark.parametrize(
    ("octets", "expected"),
    [
        (b"", {"1": b""}),
        (b"A: 1\r\n\r\nbody\r\n", {"1": b"body\r\n"}),
        (message("--b\n--b\nX: headers only\n--b--"), {"1": b"", "2": b""}),
        (b"Content-Type: multipart/mixed; boundary=b\r\r--b\r\rone\r--b--\r", {"1": b"one"}),
    ],
)
def test_parts_lie_between_boundary_lines(octets: bytes, expected: dict[str, bytes]) -> None:
    """RFC 2046 section 5.1.1: the line end before a boundary is part of it."""
    assert contents(octets) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_headers_longer_than_the_limit_are_not_text(end: str) -> None:
    octets = f"Subject: {'x' * HEADER_FIELD_OCTETS_MAX * 3}{end}{end}body".encode()
    assert contents(octets) == {"1": b"body"}
    assert contents(octets[: HEADER_FIELD_OCTETS_MAX * 3], complete=False) == {"1": b""}


@pytest.mark.parametrize(
    ("octets", "closed"),
    [
        (message("--b\n\none\n--b\n\ntw"), {"1": True, "2": False}),
        (message("--b\n\none\n--b\n\ntwo\n--b-"), {"1": True, "2": False}),
        (message("--b\n\none\n--b\n\ntwo\n--b"), {"1": True, "2": False}),
        (message("--b\n\none\n--b--\n"), {"1": True}),
        (message("text", "text/plain"), {"1": False}),
    ],
)
def test_what_may_be_cut_is_not_closed(octets: bytes, closed: dict[str, bool]) -> None:
    spans = split_message(octets, complete=False).spans
    assert {part_id: span.closed for part_id, span in spans.items()} == closed


@pytest.mark.parametrize(
    ("octets", "expected", "defects"),
    [
        (message("text", "multipart/mixed"), [("1", "text/plain")], (NO_BOUNDARY,)),
        (message("text", "multipart/mixed; boundary=zz"), [("1", "text/plain")], (NO_BOUNDARY,)),
        (message("text", "nonsense"), [("1", "text/plain")], ()),
    ],
)
def test_broken_multiparts_can_still_be_read(
    octets: bytes, expected: list[tuple[str, str]], defects: tuple[str, ...]
) -> None:
    structure = split_message(octets).structure
    assert (outline(structure.root), structure.defects) == (expected, defects)


@pytest.mark.parametrize(
    "line",
    ["--c\nContent", "--x y", "--b", "--bb\n", "\n", "--b\n", "Content-Type: multipart/mixed; boundary=b\n"],
)
def test_time_is_linear(line: str) -> None:
    def split(size: int) -> None:
        assert split_message(message(line * (size // len(line)))).structure.root is not None

    assert_linear(split, size=4_000, large=1_000_000)
