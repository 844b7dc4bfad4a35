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
