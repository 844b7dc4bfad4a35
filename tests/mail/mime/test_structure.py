import pytest

from mailmcp.mail.mime.structure import (
    Part,
    PartFields,
    body_id,
    child_id,
    clean_content_type,
    clean_filename,
    find_part,
    has_no_content,
    leaf_parts,
    make_part,
)
from steps import assert_linear

OCTET_STREAM = "application/octet-stream"
LEAF_1 = Part(part_id="1", content_type="text/plain")
INNER = Part(part_id="2.1", content_type="text/plain")
MESSAGE = Part(part_id="2", content_type="message/rfc822", parts=(INNER,))
ROOT = Part(part_id="TEXT", content_type="multipart/mixed", parts=(LEAF_1, MESSAGE))


def test_walking_does_not_enter_a_message_inside() -> None:
    assert list(leaf_parts(ROOT)) == [LEAF_1, MESSAGE]
    assert list(leaf_parts(None)) == []


def test_a_structure_has_no_content_if_every_leaf_is_empty() -> None:
    full = Part(part_id="2", content_type="text/plain", size_octets=1)
    assert has_no_content(ROOT)
    assert has_no_content(LEAF_1)
    assert not has_no_content(Part(part_id="TEXT", content_type="multipart/mixed", parts=(LEAF_1, full)))


@pytest.mark.parametrize(
    ("part_id", "found"),
    [("1", LEAF_1), ("2", MESSAGE), ("2.1", INNER), ("TEXT", ROOT), ("3", None), ("", None)],
)
def test_every_part_can_be_found(part_id: str, found: Part | None) -> None:
    assert find_part(ROOT, part_id) == found
    assert find_part(None, part_id) is None


@pytest.mark.parametrize(
    ("parent", "number", "expected"),
    [("TEXT", 1, "1"), ("2", 3, "2.3"), ("2.TEXT", 1, "2.1"), ("1.2", 10, "1.2.10")],
)
def test_children_are_numbered_as_sections(parent: str, number: int, expected: str) -> None:
    """RFC 9051 section 6.4.5.1."""
    assert child_id(parent, number) == expected


@pytest.mark.parametrize(
    ("message", "multipart", "expected"),
    [("", False, "1"), ("", True, "TEXT"), ("4.2", False, "4.2.1"), ("4.2", True, "4.2.TEXT")],
)
def test_the_body_of_a_message_is_numbered(message: str, multipart: bool, expected: str) -> None:  # noqa: FBT001 - a table
    assert body_id(message, multipart=multipart) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (PartFields(), Part(part_id="1", content_type="text/plain")),
        (PartFields(content_type="nonsense"), Part(part_id="1", content_type="text/plain")),
        (PartFields(content_type=" TEXT/Html "), Part(part_id="1", content_type="text/html")),
        (PartFields(content_type="text/html charset=x"), Part(part_id="1", content_type="text/html")),
        (PartFields(encoding=" BASE64"), Part(part_id="1", content_type=OCTET_STREAM, encoding="base64")),
        (
            PartFields(content_type="text/plain", encoding="base64"),
            Part(part_id="1", content_type="text/plain", encoding="base64"),
        ),
        (
            PartFields(disposition="x-new"),
            Part(part_id="1", content_type=OCTET_STREAM, disposition="attachment"),
        ),
        (
            PartFields(content_type="message/global", subject=" Re:\u202e x\r\ny"),
            Part(part_id="1", content_type="message/global", subject="Re: x y"),
        ),
        (
            PartFields(params={"name": "n.txt"}),
            Part(part_id="1", content_type=OCTET_STREAM, params={"name": "n.txt"}, filename="n.txt"),
        ),
        (
            PartFields(content_type="message/rfc822", subject="i" * 3_000),
            Part(part_id="1", content_type="message/rfc822", subject=f"{'i' * 1_999}…"),
        ),
        (
            PartFields(params={"name": "n.txt"}, disposition_params={"filename": "f.txt"}),
            Part(part_id="1", content_type=OCTET_STREAM, params={"name": "n.txt"}, filename="f.txt"),
        ),
    ],
)
def test_fields_get_their_defaults(fields: PartFields, expected: Part) -> None:
    assert make_part("1", fields) == expected


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ("Text/HTML", "text/html"),
        (" a / b ", "a/b"),
        ("multipart/(x)", "text/plain"),
        ("html", "text/html"),
    ],
)
def test_a_content_type_is_a_pair(value: str, clean: str) -> None:
    assert clean_content_type(value) == clean


@pytest.mark.parametrize("value", ["PDF", "html", "application/", "application/pdf/x", "a/b name=c", ""])
def test_a_file_whose_type_is_unreadable_is_octets(value: str) -> None:
    assert clean_content_type(value, is_file=True) == OCTET_STREAM
    assert clean_content_type("text/html x", is_file=True) == "text/html"


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("in\u202efdp.exe", "infdp.exe"),
        ("a\r\nb\x00.txt", "a b .txt"),
        ("..", ""),
        ("dir/", ""),
        ("x" * 300 + ".pdf", "…" + "x" * 250 + ".pdf"),
    ],
)
def test_file_names_are_one_harmless_component(name: str, clean: str) -> None:
    assert clean_filename(name) == clean


def test_long_file_names_take_linear_time() -> None:
    assert_linear(lambda size: clean_filename("a " * size), large=500_000)


def test_parts_know_what_they_are() -> None:
    part = Part(part_id="1", content_type="text/plain", params={"charset": "UTF-8"})
    assert part.charset == "utf-8"
    assert hash(part) == hash(Part(part_id="1", content_type="text/plain", params={"charset": "utf-8"}))
    assert (ROOT.is_multipart, MESSAGE.is_message, part.is_multipart, part.is_message) == (
        True,
        True,
        False,
        False,
    )
