import pytest

from mailmcp.mail.mime.structure import (
    Part,
    clean_content_type,
    clean_filename,
    find_part,
)

OCTET_STREAM = "application/octet-stream"
LEAF_1 = Part(part_id="1", content_type="text/plain")
INNER = Part(part_id="2.1", content_type="text/plain")
MESSAGE = Part(part_id="2", content_type="message/rfc822", parts=(INNER,))
ROOT = Part(part_id="TEXT", content_type="multipart/mixed", parts=(LEAF_1, MESSAGE))


@pytest.mark.parametrize(
    ("part_id", "found"),
    [("1", LEAF_1), ("2", MESSAGE), ("2.1", INNER), ("TEXT", ROOT), ("3", None), ("", None)],
)
def test_every_part_can_be_found(part_id: str, found: Part | None) -> None:
    assert find_part(ROOT, part_id) == found
    assert find_part(None, part_id) is None


@pytest.mark.parametrize("value", ["PDF", "html", "application/", "application/pdf/x", "a/b name=c", ""])
def test_a_file_whose_type_is_unreadable_is_octets(value: str) -> None:
    assert clean_content_type(value, is_file=True) == OCTET_STREAM
    assert clean_content_type("text/html x", is_file=True) == "text/html"


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("report.pdf", "report.pdf"),
        ("in\u202efdp.exe", "infdp.exe"),
        ("a\r\nb\x00.txt", "a b .txt"),
        ("..", ""),
        ("x" * 300 + ".pdf", "…" + "x" * 250 + ".pdf"),
    ],
)
def test_file_names_are_one_harmless_component(name: str, clean: str) -> None:
    assert clean_filename(name) == clean
