"""Whole messages, from octets to what a reply shows; each `x.eml` has its `x.json`."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.calendar.invitation import calendar_text
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.html.convert import sanitize_html
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import leaf_parts
from mailmcp.mail.notices import choose_notice_parts, read_notices
from mailmcp.mail.protection import protection_note
from mailmcp.mail.read import read_attached_message
from mailmcp.mail.text.body import body_text
from mailmcp.mail.text.snippet import make_snippet

CORPUS = sorted((Path(__file__).parent.parent / "corpus").glob("*.eml"))

FEATURES = frozenset((CORPUS[0].parent / "features.txt").read_text(encoding="utf-8").split())
"""What real mail holds, and what is wrong with it: each is in the `covers` of a message at least."""


def reading(octets: bytes, *, complete: bool = True) -> dict[str, object]:
    """Read a message with every function of the layer, in the shape of the expected files."""
    view = parse_message(octets, complete=complete)
    parts = choose_text_parts(view.structure)
    found = {part.part_id: view.part_octets(part) for part in leaf_parts(view.structure)}
    here = {part_id: content for part_id, content in found.items() if content is not None}
    body = body_text(parts, here)
    return {
        "subject": clean_line(view.headers.get("Subject")).text,
        "from": ", ".join(map(format_address, parse_addresses(*view.headers.raw_all("From")))),
        "text": body.text,
        "from_html": body.from_html,
        "hidden_removed": body.removed.hidden,
        "invisible_removed": body.removed.invisible,
        "attachments": [
            {
                "part_id": each.part_id,
                "filename": each.filename,
                "content_type": each.content_type,
                "size_octets": each.decoded_size,
                "subject": each.subject,
            }
            for each in list_attachments(view.structure, parts)
        ],
        "notices": [
            {
                "kind": notice.kind,
                "part_id": notice.part_id,
                "fields": dict(notice.fields),
                "defects": list(notice.defects),
            }
            for notice in read_notices(choose_notice_parts(view.structure), here)
        ],
        "protection": protection_note(view.structure, body.text, clear_signed=body.clear_signed),
        "defects": list(dict.fromkeys((*view.defects, *body.defects))),
    }


def test_the_corpus_is_there_and_complete() -> None:
    assert len(CORPUS) >= 150
    assert [path.stem for path in CORPUS if not path.with_suffix(".json").exists()] == []
    assert len(list(CORPUS[0].parent.glob("*.json"))) == len(CORPUS)


def test_every_feature_has_its_message() -> None:
    covered = {
        feature
        for path in CORPUS
        for feature in json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["covers"]
    }
    assert covered >= FEATURES


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_message_reads_as_expected(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert expected.pop("covers")
    assert reading(path.read_bytes()) == expected


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_is_read_can_be_sent_as_json(path: Path) -> None:
    """No lone surrogates, no control characters: both break clients."""
    text = json.dumps(reading(path.read_bytes()), ensure_ascii=False)
    assert text.encode("utf-8").decode("utf-8") == text
    assert not any(character < " " or "\x7f" <= character <= "\x9f" for character in text)


_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060\u2066-\u2069\ud800-\udfff]")


def read_in_every_way(octets: bytes, *, complete: bool) -> None:
    """Read what `reading` does and what is inside; nothing raises, and nothing unseen comes out."""
    read = reading(octets, complete=complete)
    texts = [str(read["text"])]
    view = parse_message(octets, complete=complete)
    for part in leaf_parts(view.structure):
        content = view.part_octets(part)
        if content is not None and part.is_calendar:
            texts.append(calendar_text(content, part).text)
        elif content is not None and part.is_message:
            texts.append(read_attached_message(content).body.text)
    assert [text for text in texts if _UNSEEN.search(text)] == []
    assert json.dumps(read, ensure_ascii=False).encode("utf-8")
    assert len(make_snippet(texts[0], 80)) <= 80
    parse_date(view.headers.get("Date"))


_MUTATION = st.tuples(
    st.floats(min_value=0, max_value=1), st.integers(0, 40), st.binary(max_size=12) | st.just(b"\r\n\r\n")
)


@given(path=st.sampled_from(CORPUS), mutations=st.lists(_MUTATION, max_size=6), cut=st.floats(0, 1))
def test_mutilated_mail_is_read_without_an_error(
    path: Path, mutations: list[tuple[float, int, bytes]], cut: float
) -> None:
    octets = path.read_bytes()
    for place, removed, added in mutations:
        at = int(place * len(octets))
        octets = octets[:at] + added + octets[at + removed :]
    read_in_every_way(octets, complete=True)
    read_in_every_way(octets[: int(cut * len(octets))], complete=False)
    assert "<script" not in sanitize_html(octets.decode("latin-1")).text


_NESTED = (
    b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (level, level) for level in range(300)
)


@pytest.mark.parametrize(
    "octets",
    [
        b"".join(_NESTED) + b"\r\nbottom",
        b"Content-Type: message/rfc822\r\n\r\n" * 2_000 + b"bottom",
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 8_000,
        b"Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\n" + b"BEGIN:VEVENT\r\n" * 20_000,
        b"\r\n" + b"begin 644 x\n" * 16_000,
        *(b"%b: %b" % (name, b"<a@b>," * 30_000) for name in (b"From", b"Subject", b"Content-Type")),
    ],
    ids=["multiparts", "messages", "parts", "events", "uuencoded", "from", "subject", "type"],
)
def test_bombs_are_read_without_an_error(octets: bytes) -> None:
    read_in_every_way(octets, complete=True)
