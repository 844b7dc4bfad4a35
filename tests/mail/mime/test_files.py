"""What a person would call a file, by structures as mail programs make them."""

import pytest

from mailmcp.mail.mime.body_parts import list_files
from mailmcp.mail.mime.structure import Part, make_part


def multipart(subtype: str, *children: Part) -> Part:
    return make_part("TEXT", content_type=f"multipart/{subtype}", parts=children)


def part(
    content_type: str, number: str = "9", *, name: str = "", disposition: str = "", content_id: str = ""
) -> Part:
    return make_part(
        number,
        content_type=content_type,
        params={"name": name} if name else {},
        disposition=disposition,
        content_id=content_id,
    )


TEXT = part("text/plain", "1")
HTML = part("text/html", "2")
BOTH = multipart("alternative", TEXT, HTML)

STRUCTURES: list[tuple[str, Part | None, list[str]]] = [
    ("nothing", None, []),
    ("a text", TEXT, []),
    ("two alternatives", BOTH, []),
    ("a file alone", part("application/pdf", name="a.pdf"), ["a.pdf"]),
    ("a file beside", multipart("mixed", BOTH, part("application/pdf", name="a.pdf")), ["a.pdf"]),
    ("no name, said to be one", multipart("mixed", BOTH, part("image/png", disposition="attachment")), [""]),
    ("a picture without a name", multipart("mixed", BOTH, part("image/png")), []),
    ("a PDF that nothing describes", multipart("mixed", BOTH, part("application/pdf")), [""]),
    ("what the HTML needs", multipart("related", HTML, part("application/pdf")), []),
    (
        "attached HTML, the only text",
        multipart("mixed", part("text/html", name="email", disposition="attachment")),
        ["email"],
    ),
    ("a text file", multipart("mixed", TEXT, part("text/csv", name="a.csv")), ["a.csv"]),
    (
        "an image of the HTML",
        multipart("related", HTML, part("image/png", name="l.png", content_id="<1>")),
        [],
    ),
    (
        "a file among images",
        multipart("related", HTML, part("application/pdf", name="a.pdf", content_id="<1>")),
        ["a.pdf"],
    ),
    ("a signature", multipart("signed", TEXT, part("application/pkcs7-signature", name="smime.p7s")), []),
    ("a PGP signature", multipart("signed", TEXT, part("application/pgp-signature", name="s.asc")), []),
    ("an invitation's alternative", multipart("alternative", TEXT, part("text/calendar")), []),
    ("an invitation alone", part("text/calendar", "1"), [""]),
    ("a picture alone, without a name", part("image/jpeg", "1"), [""]),
    ("a signature alone", part("application/pgp-signature", "1"), []),
    ("a named alternative", multipart("alternative", TEXT, part("text/calendar", name="i.ics")), []),
    ("a message forwarded", multipart("mixed", TEXT, part("message/rfc822")), [""]),
    (
        "a bounce",
        multipart("report", TEXT, part("message/delivery-status"), part("message/rfc822", name="m.eml")),
        [],
    ),
    ("Outlook's wrapping", multipart("mixed", TEXT, part("application/ms-tnef", name="winmail.dat")), []),
]


@pytest.mark.parametrize(
    ("root", "names"), [each[1:] for each in STRUCTURES], ids=[each[0] for each in STRUCTURES]
)
def test_files_are_what_a_person_would_call_so(root: Part | None, names: list[str]) -> None:
    assert [each.filename for each in list_files(root)] == names
