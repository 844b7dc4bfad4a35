"""What FETCH and SEARCH tell of messages, over the wire."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer

SAMPLE = load_sample(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))


@pytest.fixture(scope="module")
def client() -> Iterator[IMAPClient]:
    with EmbeddedServer(mailboxes=SAMPLE) as server:
        client = IMAPClient(server.host, port=server.port, ssl=False, timeout=30)
        client.login(server.user, server.password)
        yield client
        client.shutdown()


@pytest.mark.parametrize("mailbox", SAMPLE, ids=lambda mailbox: mailbox.name)
def test_every_message_is_served_as_it_is(mailbox: SampleMailbox, client: IMAPClient) -> None:
    """Broken ones, too: a server stores octets and has no opinion of them."""
    client.select_folder(mailbox.name, readonly=True)
    items = ["BODY.PEEK[]", "RFC822.SIZE", "ENVELOPE", "BODYSTRUCTURE", "INTERNALDATE", "FLAGS"]
    uids = client.search("ALL")
    rows = client.fetch(uids, items) if uids else {}
    assert [rows[uid][b"BODY[]"] for uid in uids] == [message.octets for message in mailbox.messages]
    assert [rows[uid][b"RFC822.SIZE"] for uid in uids] == [
        len(message.octets) for message in mailbox.messages
    ]


@pytest.mark.parametrize(
    "text", ["Messhöhe", "radiation shield", "設置", "калибровке", "schulgarten", "GESENDET VON NIEMANDEM"]
)
def test_text_is_found_whatever_its_encoding(text: str, client: IMAPClient) -> None:
    found = 0
    for mailbox in ("INBOX", "Sent"):
        client.select_folder(mailbox, readonly=True)
        found += len(client.search(["TEXT", text], "UTF-8"))
    assert bool(found) == (text != "GESENDET VON NIEMANDEM")


def test_date_that_never_was_is_nil_in_the_envelope(client: IMAPClient) -> None:
    client.select_folder("INBOX", readonly=True)
    (uid,) = client.search(["SUBJECT", "clock in the hall"])
    assert client.fetch([uid], ["ENVELOPE"])[uid][b"ENVELOPE"].date is None
