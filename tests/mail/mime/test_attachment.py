import base64

import pytest

from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part


@pytest.mark.parametrize(
    ("empty", "listed"),
    [
        (Part(part_id="3", content_type="text/plain"), False),
        (Part(part_id="3", content_type="text/plain", size_octets=2), True),
        (Part(part_id="3", content_type="text/plain", filename="notes.txt"), True),
        (Part(part_id="3", content_type="text/plain", disposition="attachment"), True),
        (Part(part_id="3", content_type="image/png"), True),
    ],
)
def test_an_empty_text_that_nothing_describes_is_not_listed(empty: Part, *, listed: bool) -> None:
    plain = Part(part_id="1", content_type="text/plain", size_octets=9)
    html = Part(part_id="2", content_type="text/html", size_octets=9)
    root = Part(part_id="TEXT", content_type="multipart/alternative", parts=(plain, html, empty))
    found = [each.part_id for each in list_attachments(root, choose_text_parts(root))]
    assert found == (["3"] if listed else [])


def test_of_several_alternatives_those_that_are_not_shown_are_listed() -> None:
    parts = (Part(part_id=str(number), content_type="text/plain", size_octets=9) for number in range(1, 4))
    root = Part(part_id="TEXT", content_type="multipart/alternative", parts=tuple(parts))
    assert [each.part_id for each in list_attachments(root, choose_text_parts(root))] == ["1", "2"]


@pytest.mark.parametrize("length", [1, 57, 1_000, 100_000])
def test_the_estimate_of_base64_is_close(length: int) -> None:
    encoded = len(base64.encodebytes(bytes(length)).replace(b"\n", b"\r\n"))
    part = Part(part_id="1", content_type="a/b", encoding="base64", size_octets=encoded)
    assert abs(part.decoded_size - length) <= 4
