"""Images and pages, as pictures that models see."""

from typing import Any

import pytest

from documents.pdf_file import pdf
from documents.pictures import image, opened
from mailmcp import limits
from mcp_envelope import BaseReason, Code, Embedded, ToolError
from tools.desk import Desk, Reply
from tools.files import attached, get, refused, store_and_find
from tools.stores import Store

_SCAN = pdf([b"0 0 595 842 re f", b"1 0 0 rg 0 0 595 842 re f"])


@pytest.fixture
def store(dovecot_mail: Store) -> Store:
    """One server: fetching is tested with the other modes."""
    return dovecot_mail


def _follow(desk: Desk, from_: Reply | ToolError) -> Reply:
    action = from_.outcome.next_action if isinstance(from_, Reply) else from_.next_action
    assert action is not None
    return desk.call(action.tool, dict(action.arguments))


def _picture(reply: Reply) -> Embedded:
    (embedded,) = reply.outcome.embedded
    assert embedded.is_image
    assert opened(embedded.octets).size == (reply.data["width"], reply.data["height"])
    assert len(embedded.octets) <= limits.PICTURE_OCTETS_MAX
    return embedded


def test_an_image_is_scaled_in_one_round_trip(store: Store, desk: Desk) -> None:
    content = image(3_136, 100, kind="JPEG")
    message_id = store_and_find(store, desk, attached(("a`b.jpg", content, "image/jpeg")))
    reply = get(desk, message_id, mode="image")
    assert _picture(reply).content_type == "image/jpeg"
    assert reply.data["size_bytes"] == pytest.approx(len(content), abs=3)
    assert "Picture: 1568 x 50 pixels, scaled from 3136 x 100." in reply.text
    assert reply.outcome.warnings == ()
    assert reply.outcome.next_action is None
    assert reply.telemetry.imap_round_trips == 1
    assert "uri" not in reply.data


def test_the_error_for_the_text_of_an_image_shows_it(store: Store, desk: Desk) -> None:
    files = [("a.png", image(5, 5), "image/png"), ("b", image(5, 5, kind="GIF"), "application/octet-stream")]
    message_id = store_and_find(store, desk, attached(*files))
    for part_id in ("2", "3"):
        error = refused(desk, message_id, part_id)
        assert error.code is Code.INVALID_INPUT
        assert "It is an image" in error.message
        _picture(_follow(desk, error))


def test_pages_without_text_are_shown_one_after_the_other(store: Store, desk: Desk) -> None:
    message_id = store_and_find(store, desk, attached(("scan.pdf", _SCAN, "application/pdf")))
    text = get(desk, message_id)
    assert any("probably scanned" in warning for warning in text.outcome.warnings)
    first = _follow(desk, text)
    assert opened(_picture(first).octets).convert("RGB").getpixel((5, 5)) == (0, 0, 0)
    assert "Picture of page 1 of 2 of part `2`" in first.text
    second = _follow(desk, first)
    assert opened(_picture(second).octets).convert("RGB").getpixel((5, 5)) == (255, 0, 0)
    assert second.outcome.next_action is None


def test_a_pdf_with_text_can_be_looked_at(store: Store, desk: Desk) -> None:
    message_id = store_and_find(store, desk, attached(("a.pdf", pdf(["Text"]), "application/pdf")))
    assert get(desk, message_id).outcome.next_action is None
    reply = get(desk, message_id, mode="image")
    assert (_picture(reply).content_type, reply.outcome.next_action) == ("image/png", None)


@pytest.mark.parametrize(
    ("file", "sent", "field", "message", "action"),
    [
        (("a.csv", b"a,b", "text/csv"), {}, "mode", "shows only PNG", {}),
        (("a.svg", b"<svg>text</svg>", "image/svg+xml"), {}, "mode", "shows only PNG", {}),
        (("a.heic", b"\0\0\0\x18ftypheic", "image/heic"), {}, "mode", "HEIC", {"mode": "content"}),
        (("a.png", image(5, 5)[:40], "image/png"), {}, "mode", "damaged", {"mode": "content"}),
        (
            ("a.png", image(5, 5), "image/png"),
            {"page": 2},
            "page",
            "must be 1: ",
            {"mode": "image", "page": 1},
        ),
        (("s.pdf", _SCAN, "application/pdf"), {"page": 9}, "page", "1 to 2", {"mode": "image", "page": 2}),
    ],
)
def test_what_cannot_be_shown_is_an_error_with_a_way_out(
    store: Store,
    desk: Desk,
    file: tuple[str, bytes, str],
    sent: dict[str, Any],
    field: str,
    message: str,
    action: dict[str, Any],
) -> None:
    message_id = store_and_find(store, desk, attached(file))
    error = refused(desk, message_id, mode="image", **sent)
    assert error.code is Code.INVALID_INPUT
    assert error.message.startswith(f"{field}: ")
    assert message in error.message
    assert error.next_action is not None
    assert error.next_action.arguments == {"message_id": message_id, "part_id": "2", **action}
    _follow(desk, error)


@pytest.mark.parametrize("mode", ["text", "content", "save"])
def test_a_page_needs_a_picture(store: Store, desk: Desk, mode: str) -> None:
    message_id = store_and_find(store, desk, attached(("s.pdf", _SCAN, "application/pdf")))
    if mode != "save":
        assert refused(desk, message_id, mode=mode, page=2).reason is BaseReason.EXCLUSIVE_PARAMS


def test_a_file_that_a_program_asked_for_is_not_taken_for_a_picture(store: Store, desk: Desk) -> None:
    """Hosts refuse a whole reply because of a damaged image."""
    message_id = store_and_find(store, desk, attached(("a.png", b"\x89PNG\0", "image/png")))
    (embedded,) = get(desk, message_id, mode="content").outcome.embedded
    assert not embedded.is_image


def test_a_file_too_large_for_a_reply_can_still_be_seen(
    store: Store, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 10)
    message_id = store_and_find(store, desk, attached(("a.png", image(5, 5), "image/png")))
    _picture(_follow(desk, refused(desk, message_id, mode="content")))
