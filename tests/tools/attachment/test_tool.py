"""An attachment as text, as a picture, as a file in the reply, or saved; and errors with a way out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from documents.documents import docx, paragraph
from documents.pdf_file import pdf
from documents.pictures import image, opened
from mailmcp import limits
from mailmcp.tools.attachment import tool
from mailmcp.tools.preferences import Preferences
from mcp_envelope import BaseReason, Embedded, NotFoundError
from servers.proxy import ProxyFactory
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.files import MIB, ZIP, attached, follow, get, refused, store_and_find
from tools.letters import make_letter
from tools.stores import Store

SCAN = pdf([b"0 0 595 842 re f", b"1 0 0 rg 0 0 595 842 re f"])
PHOTO = ("a.png", image(5, 5), "image/png")


@pytest.fixture
def kept(dovecot_mail: Store) -> Store:
    """The store of tests that don't depend on the server."""
    return dovecot_mail


@pytest.fixture
def reader(kept: Store, open_desk: DeskFactory, tmp_path: Path) -> Desk:
    """A desk whose user named a folder."""
    desk = open_desk(kept.account)
    desk.preferences = Preferences(save_folder=tmp_path)
    return desk


def picture(reply: Reply) -> Embedded:
    (embedded,) = reply.outcome.embedded
    assert embedded.is_image
    assert opened(embedded.octets).size == (reply.data["width"], reply.data["height"])
    return embedded


def test_a_document_beside_20_mib_costs_a_round_trip_and_its_own_octets(
    dovecot_mail: Store, open_desk: DeskFactory, proxy: ProxyFactory
) -> None:
    letter = attached(
        ("large.bin", b"\0" * (20 * MIB), "application/octet-stream"),
        ("report.pdf", pdf(["Page the first", "Page the second"]), "application/pdf"),
        ("letter.docx", docx(paragraph("Dear Ann")), "application/octet-stream"),
    )
    between = proxy(dovecot_mail.account.host, dovecot_mail.account.port)
    desk = open_desk(replace(dovecot_mail.account, port=between.port))
    message_id = store_and_find(dovecot_mail, desk, letter)
    for part_id, expected in (("3", "Page the second"), ("4", "Dear Ann")):
        between.reset()
        reply = get(desk, message_id, part_id)
        assert expected in reply.data["text"]
        passed = between.snapshot()
        assert passed.round_trips == reply.telemetry.imap_round_trips == 1
        assert passed.octets_received < 10_000


def test_sections_and_windows_lead_through_a_document(store: Store, desk: Desk) -> None:
    pages = [f"This is page {number}. " + "word " * 30 for number in range(1, 9)]
    message_id = store_and_find(store, desk, attached(("a.pdf", pdf(pages), "application/pdf")))
    reply = get(desk, message_id, text_max_chars=300)
    assert [row["name"] for row in reply.data["sections"]] == [f"Page {number}" for number in range(1, 9)]
    assert 'Sections (8): "Page 1" at 0; "Page 2" at' in reply.text
    texts = [reply.data["text"]]
    while reply.outcome.next_action is not None:
        end = reply.data["next_offset"]
        reply = follow(desk, reply)
        assert reply.data["offset"] == end
        assert 1 <= len(reply.data["sections"]) < 8
        texts.append(reply.data["text"])
    assert reply.data["sections"][0]["name"] >= "Page 7"
    whole = get(desk, message_id).data
    assert "".join(texts) == whole["text"]
    assert (len(whole["text"]), "next_offset" in whole) == (whole["total_chars"], False)
    for row in whole["sections"]:
        assert whole["text"][row["offset"] :].startswith(f"[{row['name']}]")
    assert get(desk, message_id, text_offset=-5).data["text"] == whole["text"][-5:]
    assert "the text has" in refused(desk, message_id, text_offset=99_999).message


@pytest.mark.parametrize("cte", ["base64", "quoted-printable"])
@pytest.mark.parametrize("size", [0, 90_000, 3 * MIB])
def test_a_file_is_embedded_or_saved_exactly(
    store: Store, desk: Desk, tmp_path: Path, cte: str, size: int
) -> None:
    desk.preferences = Preferences(save_folder=tmp_path)
    content = (bytes(range(33, 97)) * (size // 64 + 1))[:size]
    name = "../ev\u202eil b.bin"
    octets = attached((name, content, "application/x-a"), cte=cte).as_bytes()
    message_id = store_and_find(store, desk, octets)
    reply = get(desk, message_id, mode="content")
    (embedded,) = reply.outcome.embedded
    assert reply.telemetry.imap_round_trips <= 1 + len(octets) // MIB + 1
    done = [report[0] for report in desk.reports]
    assert done == sorted(set(done))
    assert {report[1:] for report in desk.reports} <= {(max(done, default=0), "Fetching the attachment")}
    # pymap counts the line end before a boundary to the part, which base64 doesn't show.
    assert embedded.octets.rstrip(b"\r\n") == content
    assert (embedded.content_type, embedded.uri) == ("application/x-a", reply.data["uri"])
    assert embedded.uri.endswith("/attachment/2")
    for path in (tmp_path / "evil b.bin", tmp_path / "evil b (2).bin"):
        saved = get(desk, message_id, mode="save")
        assert path.read_bytes() == embedded.octets
        assert saved.data["saved_path"] == str(path)
        assert str(path) in saved.text
        for each in (saved, reply):
            assert each.data["size_bytes"] == len(embedded.octets)


def test_the_error_for_a_missing_part_lists_the_parts(store: Store, desk: Desk) -> None:
    letter = attached(("a.zip", ZIP, "application/zip"))
    letter.add_attachment(attached(("x.txt", b"x", "text/plain")))
    error = refused(desk, store_and_find(store, desk, letter), "7")
    assert isinstance(error, NotFoundError)
    assert error.details["part_ids"] == ["1", "2", "3", "3.1", "3.2"]
    assert "Parts: 1, 2, 3, 3.1, 3.2." in error.message
    assert follow(desk, error).data["message"]


@pytest.mark.parametrize("part_id", ["", "0", "2.TEXT", "1]", "2.", "1 2", "\uff11", "9" * 40])
def test_an_invalid_part_id_is_never_sent(open_desk: DeskFactory, part_id: str) -> None:
    assert refused(open_desk(), "imap:work:INBOX:1:1", part_id).reason is BaseReason.INVALID_VALUE


def test_parts_of_an_attached_message_can_be_fetched(store: Store, desk: Desk) -> None:
    inner = make_letter("The inner one", "Text of the inner one\n")
    inner.add_attachment(b"a,b\r\n", maintype="text", subtype="csv", filename="in.csv")
    letter = attached(("kept.eml", inner.as_bytes(), "application/octet-stream"))
    letter.add_attachment(inner)
    message_id = store_and_find(store, desk, letter)
    message = get(desk, message_id, "3").data
    assert message["content_type"] == "message/rfc822"
    for expected in ("Subject: The inner one", "Text of the inner one", "in.csv (text/csv, part 3.2)"):
        assert expected in message["text"]
    assert get(desk, message_id, "3.1").data["text"] == "Text of the inner one"
    assert get(desk, message_id, "3.2", mode="content").outcome.embedded[0].octets == b"a,b\r\n"
    assert b"The inner one" in get(desk, message_id, "3", mode="content").outcome.embedded[0].octets
    assert "Attachment: in.csv (text/csv)" in get(desk, message_id, "2").data["text"], "without ids"


def test_an_image_is_scaled_in_one_round_trip(kept: Store, reader: Desk) -> None:
    content = image(3_136, 100, kind="JPEG")
    message_id = store_and_find(kept, reader, attached(("a`b.jpg", content, "image/jpeg")))
    reply = get(reader, message_id, mode="image")
    assert picture(reply).content_type == "image/jpeg"
    assert reply.data["size_bytes"] == pytest.approx(len(content), abs=3)
    assert "Picture: 1568 x 50 pixels, scaled from 3136 x 100." in reply.text
    assert (reply.outcome.warnings, reply.outcome.next_action, "uri" in reply.data) == ((), None, False)
    assert reply.telemetry.imap_round_trips == 1
    error = refused(reader, message_id)
    assert "It is an image" in error.message
    picture(follow(reader, error))


CSV = ("a.csv", b"a,b\n" * 40, "text/csv")
DATA = ("a.bin", bytes(200), "application/x-a")
PDF = ("s.pdf", SCAN, "application/pdf")


@pytest.mark.parametrize(
    ("attachment", "sent", "message", "action"),
    [
        (CSV, {"mode": "image"}, "mode: Only PNG", {}),
        (("a.heic", b"\0\0\0\x18ftypheic", "image/heic"), {"mode": "image"}, "HEIC", {"mode": "save"}),
        (("a.png", image(5, 5)[:40], "image/png"), {"mode": "image"}, "damaged", {"mode": "save"}),
        (PHOTO, {"mode": "image", "page": 2}, "page: must be 1: ", {"mode": "image", "page": 1}),
        (PDF, {"mode": "image", "page": 9}, "page: must be 1 to 2", {"mode": "image", "page": 2}),
        (CSV, {"mode": "content"}, "a reply holds at most 50. Send mode text", {}),
        (PHOTO, {"mode": "content"}, "a reply holds at most 50", {"mode": "image"}),
        (DATA, {"mode": "content"}, "a reply holds at most 50", None),
        (DATA, {"mode": "save"}, "a saved file holds at most 50", None),
    ],
)
def test_what_cannot_be_had_is_an_error_with_a_way_out(
    kept: Store,
    reader: Desk,
    monkeypatch: pytest.MonkeyPatch,
    attachment: tuple[str, bytes, str],
    sent: dict[str, Any],
    message: str,
    action: dict[str, Any] | None,
) -> None:
    if sent["mode"] != "image":
        monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 50)
        monkeypatch.setattr(tool, "SAVED_OCTETS_MAX", 50)
    message_id = store_and_find(kept, reader, attached(attachment))
    error = refused(reader, message_id, **sent)
    assert message in error.message
    if action is None:
        assert error.next_action is None
        return
    assert error.next_action is not None
    assert error.next_action.arguments == {"message_id": message_id, "part_id": "2", **action}
    follow(reader, error)
