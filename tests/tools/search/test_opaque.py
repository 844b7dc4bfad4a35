"""Mail that no server can search: read here where it is signed, and warned about where it is encrypted."""

from base64 import encodebytes

import pytest

from mail.text.test_signed_content import element, signed
from tools.conftest import DeskFactory
from tools.letters import make_letter
from tools.stores import Store

HEAD = "From: Ann Lee <ann@example.org>\r\nDate: Thu, 5 Nov 2026 09:30:00 +0100\r\nMIME-Version: 1.0\r\n"
SIGNED = 'application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"'
ENVELOPED = 'application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"'


def wrapped(subject: str, text: str, content_type: str = SIGNED) -> bytes:
    """Make a message of one part, in which `text` is signed data."""
    entity = f"Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n".encode()
    content = encodebytes(signed(element(4, entity))).replace(b"\n", b"\r\n")
    fields = f"Subject: {subject}\r\nContent-Type: {content_type}\r\n"
    return (HEAD + fields + "Content-Transfer-Encoding: base64\r\n\r\n").encode() + content


def encrypted(subject: str) -> bytes:
    fields = f'Subject: {subject}\r\nContent-Type: multipart/encrypted; boundary="b"\r\n\r\n'
    parts = "--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n"
    parts += "--b\r\nContent-Type: application/octet-stream\r\n\r\nhQEMA\r\n--b--\r\n"
    return (HEAD + fields + parts).encode()


OLD = make_letter("Harbour", "The harbour opens on 3 May.\n").as_bytes()
PLAIN = [make_letter(f"Message {number}", "Nothing of that kind.\n").as_bytes() for number in range(3)]
NEW = wrapped("Re: opening", "The harbour opens on 7 June after all.")
OTHER = wrapped("Lunch", "Soup again.")
LOCKED = encrypted("Re: opening")


@pytest.mark.parametrize(
    ("mail", "query", "uids", "said", "action"),
    [
        ([*PLAIN, OLD], "harbour", [4], "", "imap_get_message"),
        ([OLD, *PLAIN, NEW], "harbour", [1], "1 message signed as one file", "imap_get_message"),
        ([OLD, *PLAIN, OTHER], "harbour", [1], "", "imap_get_message"),
        ([NEW, *PLAIN, OLD], "harbour", [5], "", "imap_get_message"),
        ([OLD, LOCKED], "harbour", [1], "1 newer message couldn't be searched", "imap_get_message"),
        ([OLD, wrapped("x", "Harbour", ENVELOPED)], "harbour", [1], "1 newer message", "imap_get_message"),
        ([*PLAIN, NEW], "June harbour", [], "1 message signed as one file", "imap_get_message"),
        ([*PLAIN, NEW], "opening June", [], "1 message signed as one file", "imap_get_message"),
        ([*PLAIN, LOCKED], "harbour", [], "1 message couldn't be searched", "imap_search_messages"),
        ([OLD, *PLAIN, NEW, LOCKED], "Re:", [6, 5], "", ""),
    ],
)
def test_what_a_search_does_not_see_into(
    dovecot_mail: Store,
    open_desk: DeskFactory,
    mail: list[bytes],
    query: str,
    uids: list[int],
    said: str,
    action: str,
) -> None:
    dovecot_mail.fill("INBOX", mail)
    reply = open_desk(dovecot_mail.account).search(query=query)
    assert reply.uids == uids
    warnings = [each for each in reply.outcome.warnings if "signed as one file" in each]
    assert len(warnings) == bool(said)
    assert all(each.startswith(said) for each in warnings)
    next_action = reply.data.get("next_action") or {}
    assert next_action.get("tool", "") == action
    if "the words" in "".join(warnings):
        assert f":{len(mail)}`" in warnings[0]
        assert next_action["arguments"]["message_id"].endswith(f":{len(mail)}")


def test_only_mail_that_meets_the_other_criteria_counts(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("INBOX", [OLD, NEW])
    desk = open_desk(dovecot_mail.account)
    assert not desk.search(query="harbour", from_="ann@example.org", flagged=True).outcome.warnings
    assert "signed" in " ".join(desk.search(body="harbour opens", from_="ann lee").outcome.warnings)
    assert not desk.search(from_="ann@example.org").outcome.warnings


def test_newer_mail_in_another_mailbox_counts(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("Archive", [OLD])
    dovecot_mail.fill("INBOX", [*PLAIN, NEW])
    reply = open_desk(dovecot_mail.account).search(query="harbour", mailbox="*")
    assert reply.data["total"] == 1
    assert ":INBOX:" in reply.outcome.warnings[-1]


def test_a_mailbox_without_such_mail_costs_nothing(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("INBOX", [OLD, *PLAIN])
    desk = open_desk(dovecot_mail.account)
    desk.search(query="harbour")
    reply = desk.search(query="harbour")
    assert (reply.telemetry.imap_round_trips, reply.outcome.warnings) == (2, ())
