"""Mailboxes of the embedded server behave as RFC 9051 asks, where pymap's do not."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient

from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.mailbox_set import EmbeddedMailboxSet
from mailmcp.demo.server import EmbeddedServer

NOTE = SampleMessage(octets=b"Subject: note\r\n\r\nx\r\n", internal_date=datetime(2026, 3, 4, tzinfo=UTC))


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer(mailboxes=(SampleMailbox(name="Receipts", messages=(NOTE,)),)) as running:
        yield running


@pytest.fixture
def clients(server: EmbeddedServer) -> Iterator[tuple[IMAPClient, IMAPClient]]:
    pair = (
        IMAPClient(server.host, port=server.port, ssl=False, timeout=30),
        IMAPClient(server.host, port=server.port, ssl=False, timeout=30),
    )
    for client in pair:
        client.login(server.user, server.password)
    yield pair
    for client in pair:
        client.shutdown()


def test_uidvalidity_grows_with_each_mailbox() -> None:
    """RFC 9051 section 2.3.1.1: a mailbox made again has a greater value, within one second too."""

    async def make() -> list[int]:
        mailbox_set = EmbeddedMailboxSet({})
        values = []
        for _ in range(50):
            await mailbox_set.add_mailbox("Receipts")
            values.append((await mailbox_set.get_mailbox("Receipts")).uid_validity)
            await mailbox_set.delete_mailbox("Receipts")
        return values

    values = asyncio.run(make())
    assert values == sorted(set(values))
    assert values[-1] < 2**32


def test_session_of_a_deleted_mailbox_ends_even_if_another_took_its_name(
    clients: tuple[IMAPClient, IMAPClient],
) -> None:
    """By itself pymap would go on in the new mailbox, whose UIDVALIDITY that session was never told."""
    reader, owner = clients
    reader.select_folder("Receipts", readonly=True)
    owner.delete_folder("Receipts")
    owner.create_folder("Receipts")
    with pytest.raises((IMAPClient.AbortError, OSError)):
        reader.search("ALL")


def test_session_may_leave_a_deleted_mailbox(clients: tuple[IMAPClient, IMAPClient]) -> None:
    reader, owner = clients
    reader.select_folder("Receipts", readonly=True)
    owner.delete_folder("Receipts")
    assert reader.select_folder("INBOX", readonly=True)[b"EXISTS"] == 0


def test_mailbox_cannot_be_made_twice(clients: tuple[IMAPClient, IMAPClient]) -> None:
    with pytest.raises(IMAPClient.Error, match="already exists"):
        clients[0].create_folder("Receipts")


def test_deleting_what_is_not_there_fails(clients: tuple[IMAPClient, IMAPClient]) -> None:
    with pytest.raises(IMAPClient.Error, match="does not exist"):
        clients[0].delete_folder("Nothing")


@pytest.mark.parametrize("verb", ["copy", "move"])
def test_copied_and_moved_messages_are_like_all_others(
    verb: str, clients: tuple[IMAPClient, IMAPClient]
) -> None:
    client, _ = clients
    client.select_folder("Receipts")
    getattr(client, verb)([101], "INBOX")
    client.select_folder("INBOX", readonly=True)
    structure = client.fetch([101], ["BODYSTRUCTURE"])[101][b"BODYSTRUCTURE"]
    assert structure[6] == len(b"x\r\n")


def test_appended_messages_are_like_all_others(clients: tuple[IMAPClient, IMAPClient]) -> None:
    client, _ = clients
    client.append("INBOX", b"Subject: =?utf-8?Q?Gr=C3=BCn?=\r\n\r\nx\r\n")
    client.select_folder("INBOX", readonly=True)
    assert client.search(["TEXT", "grün"], "UTF-8") == [101]
