"""Attachments: listed, left out, and read where they are text."""

from email.message import EmailMessage

import pytest

from mcp_envelope import Untrusted
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store


def letter_with_files() -> EmailMessage:
    letter = make_letter(text="See the files.\n")
    letter.add_attachment("name;size\nÄ;1\n", subtype="csv", filename="Bestände.csv")
    letter.add_attachment(
        b"\x89PNG" + b"\0" * 1000, maintype="image", subtype="png", filename="../../a b.png"
    )
    letter.add_attachment("<p>Seen</p><p hidden>Unseen\u200b</p>", subtype="html", filename="page.html")
    letter.add_attachment(b'{"a": 1}', maintype="application", subtype="json", filename="data.json")
    return letter


@pytest.fixture
def message_id(store: Store, desk: Desk) -> str:
    store.fill("INBOX", [letter_with_files().as_bytes()])
    return str(desk.search().data["messages"][0]["message_id"])


def test_attachments_are_listed_unless_they_are_not_wanted(desk: Desk, message_id: str) -> None:
    reply = desk.get(message_id)
    rows = reply.data["message"]["attachments"]
    assert [(row["filename"], row["content_type"], row["part_id"]) for row in rows] == [
        ("Bestände.csv", "text/csv", "2"),
        ("a b.png", "image/png", "3"),
        ("page.html", "text/html", "4"),
        ("data.json", "application/json", "5"),
    ]
    assert abs(rows[1]["size_bytes"] - 1004) <= 3
    assert not any("text" in row for row in rows)
    assert '- "Bestände.csv" ("text/csv", ' in reply.text
    without = desk.get(message_id, attachment_mode="none")
    assert without.data["message"]["attachments"] == []
    assert "Attachments:" not in without.text


def test_text_is_extracted_from_text_attachments(desk: Desk, message_id: str) -> None:
    reply = desk.get(message_id, attachment_mode="extract_text")
    texts = {row["filename"]: row.get("text") for row in reply.data["message"]["attachments"]}
    assert texts == {
        "Bestände.csv": "name;size\nÄ;1",
        "a b.png": None,
        "page.html": "Seen",
        "data.json": '{"a": 1}',
    }
    fenced = [block.text for block in reply.outcome.blocks if isinstance(block, Untrusted)]
    assert fenced == ["See the files.", "name;size\nÄ;1", "Seen", '{"a": 1}']
    warnings = reply.outcome.warnings
    assert (
        'No text can be extracted from part 3 ("image/png"). imap_get_attachment with mode=image shows it.'
        in warnings
    )
    assert "Part 4: Removed 1 hidden passage (6 characters) from the text." in warnings


def test_a_long_text_is_cut_and_the_reply_says_how_to_get_more(store: Store, desk: Desk) -> None:
    letter = make_letter()
    letter.add_attachment("0123456789\n" * 500, filename="long.txt")
    store.fill("INBOX", [letter.as_bytes()])
    message_id = desk.search().data["messages"][0]["message_id"]
    reply = desk.get(message_id, attachment_mode="extract_text")
    assert len(reply.data["message"]["attachments"][0]["text"]) == 4_000
    assert reply.outcome.warnings == (
        "Part 2: The text was cut after 4000 of 5499 characters. For more, call "
        "imap_get_attachment with text_offset 4000.",
    )
    rest = desk.call("imap_get_attachment", {"message_id": message_id, "part_id": "2", "text_offset": 4_000})
    cut = reply.data["message"]["attachments"][0]["text"]
    assert cut + rest.data["text"] == ("0123456789\n" * 500).rstrip()
