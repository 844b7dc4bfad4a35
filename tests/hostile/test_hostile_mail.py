"""Hostile messages, read: what the layer of `mail` makes of each."""

import re

import pytest

from hostile.catalogue import HOSTILE
from hostile.layout import assert_visible, outside_marks
from hostile.message import OWN_ADDRESS, OWN_HOST, OWN_NAME, HostileMail
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.html.convert import sanitize_html
from mailmcp.mail.message import MessageView, parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import leaf_parts
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.quotes import collapse_quotes
from mailmcp.mail.trust.authentication import read_authentication
from mailmcp.mail.trust.sender import check_sender

every_mail = pytest.mark.parametrize("mail", HOSTILE, ids=lambda mail: mail.name)


def read(mail: HostileMail) -> tuple[MessageView, BodyText]:
    view = parse_message(mail.octets, complete=True)
    found = {part.part_id: view.part_octets(part) for part in leaf_parts(view.structure)}
    octets = {part_id: content for part_id, content in found.items() if content is not None}
    return view, body_text(choose_text_parts(view.structure), octets)


def test_the_set_is_large_and_each_message_is_another() -> None:
    assert len(HOSTILE) >= 48
    assert len({mail.name for mail in HOSTILE}) == len(HOSTILE)
    assert len({mail.octets for mail in HOSTILE}) == len(HOSTILE)


@pytest.mark.parametrize("mail", [mail for mail in HOSTILE if mail.hidden], ids=lambda mail: mail.name)
def test_what_is_hidden_is_there_to_be_found(mail: HostileMail) -> None:
    """Else its absence from a reply would prove nothing."""
    assert all(secret.encode() in mail.octets for secret in mail.hidden)


@every_mail
def test_people_read_it_and_so_does_the_text(mail: HostileMail) -> None:
    view, body = read(mail)
    sanitized = "\n".join(sanitize_html(each).text for each in body.html)
    for text in (body.text, sanitized, collapse_quotes(body.text).text):
        assert not [secret for secret in mail.hidden if secret in text]
        assert not [word for word in mail.maybe_hidden if word in outside_marks(text)]
        assert_visible(text)
    assert [word for word in mail.maybe_hidden if word not in body.text] == []
    assert bool(mail.maybe_hidden) <= bool(body.removed.maybe_hidden)
    assert [word for word in mail.fenced if word not in body.text] == []
    assert bool(re.search("hidden passage", mail.warning)) <= bool(body.removed.hidden)
    assert bool(re.search("invisible.*body", mail.warning)) <= bool(body.removed.invisible)
    assert bool(re.search("link", mail.warning)) <= bool(body.removed.misleading_links)
    assert view.structure is not None


@every_mail
def test_its_header_is_lines_of_text(mail: HostileMail) -> None:
    view, _ = read(mail)
    subject = clean_line(view.headers.get("Subject")).text
    senders = [format_address(each) for each in parse_addresses(*view.headers.raw_all("From"))]
    parts = choose_text_parts(view.structure)
    files = [each.filename for each in list_attachments(view.structure, parts)]
    for line in (subject, *senders, *files):
        assert "\n" not in line
        assert "\t" not in line
        assert_visible(line)
    assert not [name for name in files if "/" in name or "\\" in name or name in (".", "..")]


@every_mail
def test_its_sender_is_judged(mail: HostileMail) -> None:
    headers = parse_message(mail.octets, complete=True).headers
    found = check_sender(headers, own_names=[OWN_NAME], own_addresses=[OWN_ADDRESS])
    assert tuple(each.kind for each in found) == mail.suspicions
    assert read_authentication(headers, [OWN_HOST]) == mail.authentication
