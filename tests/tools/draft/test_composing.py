"""What the octets of a draft say, whatever is put in: held against our own parser, and Python's."""

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from mailmcp.mail.clean import clean_line, clean_text
from mailmcp.mail.header.address import Address, parse_addresses
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.tools.draft.compose import Draft, compose
from mailmcp.tools.draft.files import File
from mailmcp.tools.draft.recipients import usable
from tools.draft.drafts import parsed, text_of

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
INJECTED = "=?utf-8?q?=0D=0ABcc:_eve@x.org?="
"""Python's library decodes it in what it is given, and writes the line end."""

TEXTS = st.text(max_size=120) | st.text(
    st.sampled_from('=?utf-8q_\r\n\x0b\u2028ü漢"(),;:<>@ x'), max_size=200
)


def make_draft(*names: str, subject: str = "", text: str = "", files: tuple[File, ...] = ()) -> Draft:
    people = usable(
        Address(name=clean_line(name).text.replace("<>", ""), address="a@x.org") for name in names
    )
    return Draft(
        sender=Address(name="", address="bob@example.org"),
        recipients={"to": people, "cc": [], "bcc": []},
        subject=subject,
        text=text,
        answered=Headers(),
        files=files,
    )


@given(st.lists(TEXTS, max_size=4), TEXTS)
@example([INJECTED, f'"{INJECTED}"', "Müller, J\u00f6rg " * 10, "x" * 100], INJECTED)
@example(["漢" * 100, "", "x" * 100], "ü" * 500)
@example(["0000000000 ¡¡¡¡¡¡¡¡¡¡ࠀࠀ", ""], "x" * 1_200)
def test_names_and_subjects_come_back_as_they_were_and_add_no_field(names: list[str], subject: str) -> None:
    draft = make_draft(*names, subject=subject)
    octets, _ = compose(draft, now=NOW, token="0" * 16)
    assert octets.isascii()
    assert max(map(len, octets.split(b"\r\n"))) <= 998
    headers = parse_headers(octets)
    assert [name for name, _ in headers.items()] == [
        *("Message-ID", "Date", "From", *(["To"] if names else []), "Subject"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    ]
    assert headers.get("Subject") == clean_line(subject).text
    found = parse_addresses(*headers.raw_all("To"))
    assert [each.address for each in found] == ["a@x.org"] * len(names)
    assert [each.name for each in found] == [each.name for each in draft.recipients["to"]]


@given(st.text(), TEXTS, st.binary(max_size=200))
@example("Grüße\n" + "x" * 2_000 + "\n.\nFrom me\n\n--b\n", INJECTED, b"")
@example("漢字" * 500, "Übersicht.pdf", b"\0\xff")
def test_text_and_files_come_back_as_they_were(text: str, name: str, octets: bytes) -> None:
    file = File(name=name.strip('<>"') or "a", content_type="application/pdf", octets=octets)
    draft = make_draft(text=clean_text(text).text + "\n", files=(file,))
    written, _ = compose(draft, now=NOW, token="0" * 16)
    assert written.isascii()
    assert max(map(len, written.split(b"\r\n"))) <= 998
    message = parsed(written)
    assert text_of(message) == draft.text
    [attachment] = message.iter_attachments()
    assert attachment.get_content() == octets
    assert (attachment.get_filename() or "") == clean_line(file.name).text.replace("=?", "= ?")


def test_a_file_of_an_odd_type_is_any_file() -> None:
    for content_type in ("message/rfc822", "multipart/mixed", "a/b\r\nX: 1", "", "text"):
        file = File(name="a", content_type=content_type, octets=b"From: a\n\nText")
        octets, _ = compose(make_draft(files=(file,)), now=NOW, token="0" * 16)
        [attachment] = parsed(octets).iter_attachments()
        assert attachment.get_content_type() == "application/octet-stream"
        assert attachment.get_content() == file.octets
