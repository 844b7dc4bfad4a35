import pytest

from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.structure import Part

OCTETS = (
    b"Subject: =?utf-8?Q?h=C3=A9?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    b"--b\r\n\r\nfirst\r\n--b\r\nContent-Type: image/png\r\n\r\nsecond\r\n--b--\r\n"
)
FIRST = Part(part_id="1", content_type="text/plain", size_octets=5)
SECOND = Part(part_id="2", content_type="image/png", size_octets=6)
ROOT = Part(part_id="TEXT", content_type="multipart/mixed", params={"boundary": "b"}, parts=(FIRST, SECOND))


@pytest.mark.parametrize(
    ("length", "first", "second"),
    [
        (len(OCTETS), b"first", b"second"),
        (OCTETS.index(b"second") + 6, b"first", b"second"),
        (OCTETS.index(b"second") + 5, b"first", None),
        (OCTETS.index(b"first") + 4, None, None),
        (10, None, None),
    ],
)
def test_a_part_is_given_only_if_it_is_wholly_here(
    length: int, first: bytes | None, second: bytes | None
) -> None:
    view = parse_message(OCTETS[:length], complete=False, structure=ROOT)
    assert (view.part_octets(FIRST), view.part_octets(SECOND)) == (first, second)


def test_without_the_servers_sizes_only_a_boundary_proves_a_part_whole() -> None:
    view = parse_message(OCTETS[: OCTETS.index(b"second") + 6], complete=False)
    assert view.structure is not None
    assert [view.part_octets(part) for part in view.structure.parts] == [b"first", None]


def test_a_part_of_another_type_than_the_server_says_is_not_trusted() -> None:
    """Parsers number malformed mail differently."""
    view = parse_message(OCTETS, complete=True, structure=ROOT)
    assert view.part_octets(Part(part_id="1", content_type="text/html", size_octets=5)) is None


NAMED = (
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nfirst\r\n"
    b"--b\r\nContent-Type: application/pdf; name=annual report 2026.pdf\r\n\r\nsecond\r\n--b--\r\n"
)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("annual", "annual report 2026.pdf"),
        ("annual report 2026.pdf", "annual report 2026.pdf"),
        ("annu", "annu"),
        ("other.pdf", "other.pdf"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("length", [len(NAMED), len(NAMED) - 4])
def test_a_name_of_which_the_server_lost_words_is_the_one_written(
    given: str, named: str, length: int
) -> None:
    """RFC 2045 section 5.1 wants quotes around such names: Dovecot reads their first word."""
    second = Part(part_id="2", content_type="application/pdf", filename=given, size_octets=6)
    root = Part(part_id="TEXT", content_type="multipart/mixed", parts=(FIRST, second))
    view = parse_message(NAMED[:length], complete=length == len(NAMED), structure=root)
    assert view.structure is not None
    (part,) = view.structure.parts[1:]
    assert part.filename == named
    assert (view.part_octets(part) == b"second") is (named == "annual report 2026.pdf")
    assert (view.structure is root) is (given == named)


def test_a_name_is_not_taken_from_a_part_of_another_type_or_from_other_leaves() -> None:
    zipped = Part(part_id="2", content_type="application/zip", filename="annual", size_octets=6)
    third = Part(part_id="3", content_type="application/pdf", filename="annual", size_octets=6)
    root = Part(part_id="TEXT", content_type="multipart/mixed", parts=(FIRST, zipped, third))
    for complete in (True, False):
        assert parse_message(NAMED, complete=complete, structure=root).structure is root


def test_a_server_that_finds_other_parts_is_asked_for_them() -> None:
    """By RFC 2046 `--b2` begins a part, too; its neighbour would pass for it."""
    third = Part(part_id="3", content_type="image/png", size_octets=6)
    root = Part(part_id="TEXT", content_type="multipart/mixed", parts=(FIRST, SECOND, third))
    whole = parse_message(OCTETS, complete=True, structure=root)
    assert [whole.part_octets(part) for part in root.parts] == [None, None, None]
    cut = parse_message(OCTETS[:-5], complete=False, structure=root)
    assert [cut.part_octets(part) for part in root.parts] == [b"first", b"second", None]


def test_a_structure_without_content_is_no_match_for_the_message() -> None:
    """Dovecot gives such ones of multiparts without a boundary, and of mail with bare carriage returns."""
    hollow = Part(part_id="1", content_type="text/plain")
    assert parse_message(OCTETS, complete=True, structure=hollow).structure == ROOT
    assert parse_message(OCTETS, complete=False, structure=hollow).structure is hollow
