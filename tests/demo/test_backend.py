"""What the embedded mailbox holds before anyone connects, asked of pymap itself."""

import asyncio
from datetime import UTC, datetime

import pytest
from pymap.backend.dict import DictBackend
from pymap.exceptions import InvalidAuth
from pysasl.creds.plain import PlainCredentials

from mailmcp.demo.backend import make_backend
from mailmcp.demo.mailbox import SampleMailbox, SampleMessage

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
