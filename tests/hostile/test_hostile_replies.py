"""Hostile messages, through the whole server: none changes the layout of a reply, in any dialect."""

import json
import re

import anyio
import pytest

from hostile.catalogue import HOSTILE
from hostile.conversation import Replies, Reply, read_everything
from hostile.layout import assert_plain, assert_visible, outside_marks, read_message_text, read_row
from hostile.message import HostileMail
from mcp_envelope import Dialect
from thinning import thin


@pytest.fixture(scope="module", params=thin(Dialect, keep_every=len(Dialect)), ids=str)
def replies(request: pytest.FixtureRequest) -> Replies:
    """Everything that a client was told in one dialect."""
    return anyio.run(read_everything, request.param)


every_mail = pytest.mark.parametrize("mail", HOSTILE, ids=lambda mail: mail.name)


def test_the_set_is_large_and_what_is_hidden_is_there_to_be_found() -> None:
    """Else its absence from a reply would prove nothing."""
    assert (
        len({mail.name for mail in HOSTILE}) == len({mail.octets for mail in HOSTILE}) == len(HOSTILE) >= 48
    )
    assert [
        mail.name for mail in HOSTILE for secret in mail.hidden if secret.encode() not in mail.octets
    ] == []


@every_mail
def test_a_message_keeps_to_its_places(replies: Replies, mail: HostileMail) -> None:
    reply = replies.as_text[mail.name]
    message = reply.data["message"]
    found = read_message_text(reply.text)
    texts = [(name, message.get(name)) for name in ("body_text", "not_in_html")]
    assert found.fenced == [(name, text) for name, text in texts if text]
    for value in (*found.fields.values(), *found.notices, *found.files):
        assert_plain(value)
    assert [file for file in found.files if file.startswith("-")] == []
    assert len(found.files) == len(message["attachments"])
    assert [word for word in mail.fenced if word not in message["body_text"]] == []
    assert [word for word in mail.fenced if word in found.outside and word.startswith("canary")] == []


@every_mail
def test_warnings_say_what_is_wrong_and_nothing_of_the_stranger(replies: Replies, mail: HostileMail) -> None:
    reply = replies.as_text[mail.name]
    found = read_message_text(reply.text)
    if mail.warning:
        assert [line for line in found.warnings if re.search(mail.warning, line)], found.warnings
    own = [line.partition("; imap_get_message_raw has ")[0] for line in found.warnings]
    assert [line for line in own if re.search("obey|Next:|canary|imap_get", line)] == []
    assert tuple(reply.data["message"].get("suspicions") or ()) == mail.suspicions
    assert reply.data["message"]["authentication"] == mail.authentication
    for line in found.warnings:
        assert_plain(re.sub(r"imap_\w+|\w+_(?:offset|chars)", "", line))


@every_mail
def test_what_is_hidden_comes_through_no_channel(replies: Replies, mail: HostileMail) -> None:
    rows = [row for page in replies.pages for row in page.data["messages"]]
    position = len(HOSTILE) - 1 - HOSTILE.index(mail)
    said = [*_channels(replies.as_text[mail.name]), *_channels(replies.as_both[mail.name])]
    said.append(json.dumps(rows[position], ensure_ascii=False))
    for text in said:
        assert [secret for secret in mail.hidden if secret in text] == []
        assert [secret for secret in mail.maybe_hidden if secret in outside_marks(text)] == []
        assert_visible(text)


@every_mail
def test_html_headers_and_files_keep_to_their_places(replies: Replies, mail: HostileMail) -> None:
    reply = replies.as_both[mail.name]
    message = reply.data["message"]
    found = read_message_text(reply.text)
    headers = "\n".join(
        f"{name}: {line}" for name, value in message["headers"].items() for line in value.split("\n")
    )
    bodies = [(name, message.get(name)) for name in ("body_text", "body_html", "not_in_html")]
    texts = [("text", row.get("text")) for row in message["attachments"]]
    assert found.fenced == [(label, text) for label, text in (("headers", headers), *bodies, *texts) if text]
    for value in (*found.fields.values(), *found.notices, *found.files):
        assert_plain(value)
    assert not re.search(r"canary-\w+-obey", found.outside)


def test_pages_hold_rows_of_columns_and_nothing_else(replies: Replies) -> None:
    rows = [row for page in replies.pages for row in page.data["messages"]]
    assert len(rows) == len(HOSTILE)
    for page in replies.pages:
        lines = page.text.split("\n")
        assert re.fullmatch(r"\d+ of \d+ messages? in `INBOX` \(home\), .+", lines[0]), lines[0]
        assert len([line for line in lines if line.startswith("- ")]) == page.data["returned"]
        steps = [line for line in lines if line.startswith("Next: ")]
        assert steps == ([lines[-1]] if page.data["has_more"] else [])
        for line in lines[2 : len(lines) - len(steps)]:
            if line.startswith("- "):
                read_row(line)
            elif line.startswith("  > "):
                assert_plain(line[4:])
            else:
                assert line == "", line
        assert_visible(page.text)


def _channels(reply: Reply) -> tuple[str, str]:
    return reply.text, json.dumps(reply.envelope, ensure_ascii=False)
