"""Files within attachments: in archives, and in messages of Outlook's."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from documents import tnef_file
from documents.documents import docx, paragraph, zipped
from documents.ole_file import msg_tree, ole_file
from documents.pdf_file import pdf
from documents.pictures import image, opened
from documents.tars import COMPRESSIONS, tarred
from documents.tnef_file import packed_rtf, tnef
from mailmcp import limits
from mailmcp.tools.preferences import Preferences
from mcp_envelope import Code
from thinning import thin
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.files import attached, follow, get, refused, store_and_find
from tools.letters import make_letter
from tools.stores import Store

UNKNOWN = "application/octet-stream"
LETTER = docx(paragraph("Grüße aus 東京"))
FILES: dict[str, bytes] = {
    "letters/Grüße.docx": LETTER,
    "list.csv": b"name;size\n",
    "photo.png": image(10, 20),
    "scan.pdf": pdf([b"0 0 m"] * 2),
    "data.bin": bytes(100),
}
PROPERTIES: list[dict[int, str | bytes | int]] = [
    {0x3707: name, 0x3701: content} for name, content in FILES.items()
]
CONTAINERS = [
    ("all.zip", zipped(FILES)),
    ("all.tar.gz", COMPRESSIONS["gz"](tarred(FILES.items()))),
    ("all.msg", ole_file(msg_tree({}, attachments=PROPERTIES))),
    ("winmail.dat", tnef(*(tnef_file.file("x", c, {0x3707: n}) for n, c in FILES.items()))),
]


@pytest.fixture
def store(dovecot_mail: Store) -> Store:
    """One server: fetching is tested with the other modes."""
    return dovecot_mail


@pytest.fixture
def desk(store: Store, open_desk: DeskFactory, tmp_path: Path) -> Desk:
    """A desk whose user named a folder."""
    desk = open_desk(store.account)
    desk.preferences = Preferences(save_folder=tmp_path)
    return desk


def put(store: Store, desk: Desk, name: str, content: bytes) -> str:
    return store_and_find(store, desk, attached((name, content, UNKNOWN)))


@pytest.mark.parametrize(("name", "content"), thin(CONTAINERS, keep_every=4))
def test_each_file_is_listed_and_read(
    store: Store, desk: Desk, name: str, content: bytes, tmp_path: Path
) -> None:
    message_id = put(store, desk, name, content)
    listing = get(desk, message_id)
    for member, octets in FILES.items():
        assert f"\n{len(octets)} octets: {member}\n" in f"\n{listing.data['text']}\n"

    letter = follow(desk, listing)
    assert letter.data["text"] == "Grüße aus 東京"
    assert (letter.data["filename"], letter.data["part_id"]) == ("Grüße.docx", "2")
    assert letter.data["size_bytes"] == len(LETTER)
    assert "`letters/Grüße.docx` in part `2`" in letter.outcome.summary
    assert letter.telemetry.imap_round_trips == 1
    assert get(desk, message_id, member="list.csv").data["content_type"] == "text/csv"

    photo = get(desk, message_id, member="photo.png", mode="image")
    assert opened(photo.outcome.embedded[0].octets).size == (10, 20)
    scan = get(desk, message_id, member="scan.pdf")
    for page in (1, 2):
        scan = follow(desk, scan)
        assert f"page {page} of 2 of `scan.pdf` in part `2`" in scan.outcome.summary

    file = get(desk, message_id, member="data.bin", mode="content")
    assert file.outcome.embedded[0].octets == bytes(100)
    assert file.data["uri"].endswith("/attachment/2#data.bin")
    get(desk, message_id, member="letters/Grüße.docx", mode="save")
    assert (tmp_path / "Grüße.docx").read_bytes() == LETTER


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"a.bin": b"\0", "in/letter.docx": LETTER}, {"member": "in/letter.docx"}),
        ({"a.bin": b"\0", "photo.png": image(5, 5)}, {"member": "photo.png", "mode": "image"}),
        ({"list.csv": b"shown"}, {}),
    ],
)
def test_a_listing_says_how_to_read_what_it_does_not_show(
    store: Store, desk: Desk, files: dict[str, bytes], wanted: dict[str, str]
) -> None:
    message_id = put(store, desk, "a.zip", zipped(files))
    action = get(desk, message_id).outcome.next_action
    named = {"message_id": message_id, "part_id": "2"}
    assert (action.arguments if action else named) == named | wanted
    warnings = desk.get(message_id, attachment_mode="extract_text").outcome.warnings
    assert any("with member reads a file" in each for each in warnings) == bool(wanted)


@pytest.mark.parametrize(
    ("content", "sent", "message"),
    [
        (zipped({"a.txt": "x"}), {"member": "A.TXT", "mode": "save"}, "no file under that name"),
        (zipped({"a": bytes(30_000_000)}), {"member": "a"}, "too large"),
        (zipped({"a": bytes(6_000_000)}), {"member": "a", "mode": "content"}, "holds at most 5000000"),
        (zipped({"a": "x"})[:-5], {"member": "a"}, "damaged"),
        (LETTER, {"member": "a"}, "isn't an archive"),
        (b"7z\xbc\xaf\x27\x1c\0", {}, "7-Zip"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_a_way_out(
    store: Store, desk: Desk, tmp_path: Path, content: bytes, sent: dict[str, Any], message: str
) -> None:
    message_id = put(store, desk, "a.dat", content)
    error = refused(desk, message_id, **sent)
    assert error.code is Code.INVALID_INPUT
    assert message in error.message
    assert list(tmp_path.iterdir()) == []
    if error.next_action is not None:
        assert follow(desk, error).data["part_id"] == "2"


@pytest.mark.parametrize(
    ("name", "content", "sent"),
    [
        ("a.docx", LETTER, {}),
        ("a.png", image(5, 5), {"mode": "image"}),
        ("a.zip", zipped({"a.txt": "Text"}), {"member": "a.txt"}),
    ],
)
@pytest.mark.parametrize("code", [Code.TIMEOUT, Code.INTERNAL])
def test_a_document_beyond_the_limits_can_be_fetched_as_it_is(
    store: Store,
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes,
    sent: dict[str, Any],
    code: Code,
) -> None:
    message_id = put(store, desk, name, content)
    if code is Code.TIMEOUT:
        monkeypatch.setattr(limits, "EXTRACT_TIMEOUT_S", 0.0)
        monkeypatch.setattr("mailmcp.documents.process.EXTRACT_GRACE_S", 0.0)
    else:
        monkeypatch.setattr(limits, "EXTRACT_MEMORY_OCTETS", 1_000_000)
    error = refused(desk, message_id, **sent)
    assert (error.code, error.retryable) == (code, code is Code.TIMEOUT)
    assert "saved_path" in follow(desk, error).data


@pytest.mark.parametrize(("name", "mode"), [("a.txt", "text"), ("a.txt", "content"), ("a.png", "image")])
def test_what_contains_a_file_may_be_damaged(store: Store, desk: Desk, name: str, mode: str) -> None:
    content = tnef(tnef_file.file(name, image(5, 5) if mode == "image" else b"x"))
    message_id = put(store, desk, "winmail.dat", content[:-1] + bytes([content[-1] ^ 1]))
    warnings = get(desk, message_id, member=name, mode=mode).outcome.warnings
    assert warnings == ("A checksum in the file is wrong: it may be damaged.",)


def test_a_long_document_is_not_read_in_part(
    store: Store, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.tools.attachment.tool.DOCUMENT_OCTETS_MAX", 50)
    message_id = put(store, desk, "a.zip", zipped(FILES))
    assert "too large" in refused(desk, message_id, member="list.csv").message


def test_a_message_in_a_winmail_dat_is_found(store: Store, desk: Desk) -> None:
    content = tnef(
        tnef_file.message({0x1009: packed_rtf(b"{\\rtf1 From Outlook}")}), tnef_file.file("a.txt", b"x")
    )
    for text in ("Text\n", ""):
        letter = make_letter("Minutes", text)
        letter.add_attachment(content, maintype="application", subtype="ms-tnef", filename="winmail.dat")
        message_id = store_and_find(store, desk, letter.as_bytes())
        reply = desk.get(message_id)
        assert any("Outlook's own format" in warning for warning in reply.outcome.warnings)
        assert (reply.outcome.next_action is None) == bool(text)
        if not text:
            assert "From Outlook" in follow(desk, reply).data["text"]
        (row,) = desk.message(message_id, attachment_mode="extract_text")["attachments"]
        listed = ["Files: 1", "1 octet: a.txt", "", "From Outlook", "", "[File a.txt]", "x"]
        assert row["text"].splitlines() == listed


NAME, OLD = "Übersicht Größe.txt", "请款单2026年.txt"
DECOMPOSED = unicodedata.normalize("NFD", NAME)
CONTENT = b"Die Zahl ist 42\n"
PLACEHOLDER = "x" * len(OLD.encode("gbk"))


@pytest.mark.parametrize(
    ("archive", "content", "name"),
    [
        ("a.zip", zipped({DECOMPOSED: CONTENT}), NAME),
        ("a.zip", zipped({PLACEHOLDER: CONTENT}).replace(PLACEHOLDER.encode(), OLD.encode("gbk")), OLD),
        ("winmail.dat", tnef(tnef_file.file("x", CONTENT, {0x3707: DECOMPOSED})), NAME),
    ],
)
def test_a_file_is_listed_and_found_by_either_form_of_its_name(
    store: Store, desk: Desk, archive: str, content: bytes, name: str
) -> None:
    message_id = put(store, desk, archive, content)
    assert f"octets: {name}" in get(desk, message_id).data["text"]
    for form in ("NFC", "NFD"):
        found = get(desk, message_id, member=unicodedata.normalize(form, name))
        assert found.data["text"] == CONTENT.decode().strip()
