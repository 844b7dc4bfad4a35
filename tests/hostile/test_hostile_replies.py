"""Hostile messages, through the whole server: none changes the layout of a reply, in any dialect."""

import json
import re

import anyio
import pytest

from hostile.catalogue import HOSTILE
from hostile.conversation import Replies, Reply, read_everything
from hostile.layout import assert_ours, assert_visible, outside_marks, read_borders
from hostile.message import HostileMail
from mcp_envelope import Dialect
from thinning import thin

LABELS = ("headers", "body_text", "body_html", "not_in_html")


@pytest.fixture(scope="module", params=thin(Dialect, keep_every=len(Dialect)), ids=str)
def replies(request: pytest.FixtureRequest) -> Replies:
    """Everything that a client was told in one dialect."""
    return anyio.run(read_everything, request.param)


every_mail = pytest.mark.parametrize("mail", HOSTILE, ids=lambda mail: mail.name)


def test_what_is_hidden_is_there_to_be_found() -> None:
    """Else its absence from a reply would prove nothing."""
    assert len({mail.name for mail in HOSTILE}) == len({mail.octets for mail in HOSTILE}) == len(HOSTILE)
    assert [
        mail.name for mail in HOSTILE for secret in mail.hidden if secret.encode() not in mail.octets
    ] == []


@every_mail
def test_what_strangers_wrote_stays_between_the_borders(replies: Replies, mail: HostileMail) -> None:
    for reply in (replies.as_text[mail.name], replies.as_both[mail.name]):
        assert_ours(reply.text, "obey")
        outside, blocks = read_borders(reply.text)
        message = reply.data["message"]
        texts = [(label, _text(message.get(label))) for label in LABELS]
        texts += [("text", row.get("text")) for row in message["attachments"]]
        assert blocks == [(label, text) for label, text in texts if text]
        if reply is replies.as_text[mail.name]:
            assert [word for word in mail.fenced if word not in message["body_text"]] == []
        assert len([line for line in outside if "part `" in line]) >= len(message["attachments"])


def _text(value: object) -> object:
    """Write header fields as a block has them."""
    if not isinstance(value, dict):
        return value
    return "\n".join(f"{name}: {line}" for name, lines in value.items() for line in lines.split("\n"))


@every_mail
def test_warnings_say_what_is_wrong(replies: Replies, mail: HostileMail) -> None:
    reply = replies.as_text[mail.name]
    warnings = [line for line in reply.text.split("\n") if line.startswith("Warning: ")]
    if mail.warning:
        assert [line for line in warnings if re.search(mail.warning, line.removeprefix("Warning: "))]
    assert tuple(reply.data["message"].get("suspicions") or ()) == mail.suspicions
    assert reply.data["message"]["authentication"] == mail.authentication


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


def test_pages_hold_rows_and_nothing_else(replies: Replies) -> None:
    assert sum(len(page.data["messages"]) for page in replies.pages) == len(HOSTILE)
    for page in replies.pages:
        assert_ours(page.text, "obey")
        lines = page.text.split("\n")
        assert len([line for line in lines if line.startswith("- ")]) == page.data["returned"]
        assert len([line for line in lines if line.startswith("Next: ")]) == page.data["has_more"]


def _channels(reply: Reply) -> tuple[str, str]:
    return reply.text, json.dumps(reply.envelope, ensure_ascii=False)
