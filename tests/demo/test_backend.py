"""The embedded server's mailboxes behave as RFC 9051 asks, and nothing depends on the machine."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from pymap.backend.dict import DictBackend
from pymap.exceptions import InvalidAuth
from pysasl.creds.plain import PlainCredentials

from mailmcp.demo.backend import EmbeddedMailboxSet, make_backend
from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.server import EmbeddedServer

NOTE = SampleMessage(
    octets=b"Subject: note\r\n\r\nRemember the milk.\r\n",
    flags=("\\Seen", "$Forwarded"),
    internal_date=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
)


def make(*mailboxes: SampleMailbox, user: str = "demo", password: str = "pw") -> DictBackend:
    return asyncio.run(make_backend(user=user, password=password, mailboxes=mailboxes))


async def list_attributes(backend: DictBackend) -> dict[str, list[bytes]]:
    mailbox_set, _ = backend.config.set_cache["demo"]
    tree = await mailbox_set.list_mailboxes()
    return {entry.name: list(entry.attributes) for entry in tree.list_matching("", "*")}


def test_inbox_is_there_without_being_named() -> None:
    """RFC 9051 section 5.1: INBOX always exists."""
    assert list(asyncio.run(list_attributes(make()))) == ["INBOX"]


@pytest.mark.parametrize("name", ["INBOX", "Projects/Grün", "日本語"])
def test_messages_keep_octets_flags_and_date(name: str) -> None:
    backend = make(SampleMailbox(name=name, messages=(NOTE,)))

    async def read() -> list[tuple[frozenset[bytes], datetime, bytes]]:
        mailbox_set, _ = backend.config.set_cache["demo"]
        data = await mailbox_set.get_mailbox(name)
        return [
            (
                frozenset(bytes(flag) for flag in message.permanent_flags),
                message.internal_date,
                bytes(message._content),  # type: ignore[arg-type]  # noqa: SLF001  # no public way but FETCH
            )
            async for message in data.messages()
        ]

    assert asyncio.run(read()) == [(frozenset({rb"\Seen", b"$Forwarded"}), NOTE.internal_date, NOTE.octets)]


def test_special_use_is_an_attribute_of_its_mailbox_alone() -> None:
    backend = make(SampleMailbox(name="Sent", special_use="\\Sent"), SampleMailbox(name="Sent/2025"))
    assert asyncio.run(list_attributes(backend)) == {
        "INBOX": [b"HasNoChildren"],
        "Sent": [b"HasChildren", b"Sent"],
        "Sent/2025": [b"HasNoChildren"],
    }


def test_special_use_is_announced_only_where_there_is_one() -> None:
    plain, special = make(), make(SampleMailbox(name="Sent", special_use="\\Sent"))
    assert b"SPECIAL-USE" not in plain.config.login_capability
    assert b"SPECIAL-USE" in special.config.login_capability


def test_parent_that_is_no_mailbox_cannot_be_selected() -> None:
    attributes = asyncio.run(list_attributes(make(SampleMailbox(name="Projects/Apollo"))))
    assert b"Noselect" in attributes["Projects"]


@pytest.mark.parametrize(("user", "password"), [("demo", "wrong"), ("demo", "grün"), ("nobody", "pw")])
def test_other_credentials_are_refused(user: str, password: str) -> None:
    login = make().login
    with pytest.raises(InvalidAuth):
        asyncio.run(login.authenticate(PlainCredentials(user, password)))


def test_machine_is_not_asked_for_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that is out of reach would hold up each connection for seconds."""
    monkeypatch.setattr("socket.getfqdn", lambda: pytest.fail("asked"))
    assert b"mailmcp" in make().config.greeting


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
    assert structure[6] == len(NOTE.octets.partition(b"\r\n\r\n")[2])


def test_appended_messages_are_like_all_others(clients: tuple[IMAPClient, IMAPClient]) -> None:
    client, _ = clients
    client.append("INBOX", b"Subject: =?utf-8?Q?Gr=C3=BCn?=\r\n\r\nx\r\n")
    client.select_folder("INBOX", readonly=True)
    assert client.search(["TEXT", "grün"], "UTF-8") == [101]
