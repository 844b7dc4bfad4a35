from dataclasses import replace

import pytest

from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.mime.structure import Part


def leaf(part_id: str, content_type: str, **fields: str) -> Part:
    return Part(
        part_id=part_id,
        content_type=content_type,
        disposition=fields.get("disposition", ""),
        filename=fields.get("filename", ""),
        content_id=fields.get("content_id", ""),
    )


def multi(subtype: str, *parts: Part, **params: str) -> Part:
    return Part(part_id="TEXT", content_type=f"multipart/{subtype}", params=params, parts=parts)


PLAIN, HTML, PDF = leaf("p", "text/plain"), leaf("h", "text/html"), leaf("f", "application/pdf")
PLAIN_3, EMPTY = leaf("p3", "text/plain"), leaf("e", "text/plain")
LONG, LONG_HTML = (replace(leaf(*each), size_octets=9) for each in (("l", "text/plain"), ("lh", "text/html")))
STATUS, RECEIPT = leaf("d", "message/delivery-status"), leaf("r", "message/disposition-notification")
PLAIN_2, HTML_2 = leaf("p2", "text/plain"), leaf("h2", "text/html")


@pytest.mark.parametrize(
    ("root", "plain", "html"),
    [
        (None, "", ""),
        (PLAIN, "p", "p"),
        (PDF, "", ""),
        (multi("mixed", leaf("h", "text/html", disposition="attachment"), PDF), "h", "h"),
        (multi("mixed", leaf("h", "text/html", disposition="attachment"), PLAIN), "p", "p"),
        (multi("mixed"), "", ""),
        (multi("alternative"), "", ""),
        (multi("signed"), "", ""),
        (multi("alternative", HTML, PLAIN), "p", "h"),
        (multi("alternative", HTML), "h", "h"),
        (multi("alternative", multi("mixed", HTML, PLAIN_2), PLAIN), "p", "h p2"),
        (multi("alternative", PLAIN, multi("mixed", HTML, PDF, HTML_2)), "p", "h h2"),
        (multi("mixed", multi("alternative", PLAIN, HTML), PLAIN_2), "p p2", "h p2"),
        (multi("mixed", PLAIN, leaf("n", "text/plain", filename="notes.txt")), "p", "p"),
        (multi("signed", PLAIN, leaf("s", "application/pgp-signature")), "p", "p"),
    ],
)
def test_the_text_a_person_reads_is_chosen(root: Part | None, plain: str, html: str) -> None:
    """RFC 8621 section 4.1.4, less inline images."""
    chosen = choose_text_parts(root)
    assert [part.part_id for part in chosen.plain] == plain.split()
    assert [part.part_id for part in chosen.html] == html.split()
