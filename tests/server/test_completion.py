"""Completion as clients see it."""

from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp.types import Completion, PromptReference, ResourceTemplateReference

from mailmcp.imap.account import Account
from mailmcp.model.resource_uri import ATTACHMENT_TEMPLATE, MESSAGE_TEMPLATE, RAW_TEMPLATE
from mailmcp.server import completion
from server.mailbox import account_of_peer, connected_to
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Bye
from servers.peer_mailbox import PeerMailbox

ERAS = ["legacy", "auto"]
TEMPLATES = [MESSAGE_TEMPLATE, RAW_TEMPLATE, ATTACHMENT_TEMPLATE]
NAMES = ("Archive", "Entw&APw-rfe", "Projects/2026", "100%/archived", "[Gmail]")


@pytest.fixture
def home(peer: PeerFactory) -> Peer:
    mailboxes = [PeerMailbox(name=name) for name in NAMES]
    mailboxes[-1].attributes = ("\\Noselect",)
    return peer(mailboxes=mailboxes)


async def ask(
    client: Client, argument: str, typed: str, template: str = MESSAGE_TEMPLATE, **known: str
) -> Completion:
    reference = ResourceTemplateReference(uri=template)
    result = await client.complete(
        reference, {"name": argument, "value": typed}, context_arguments=known or None
    )
    return result.completion


def using(use: Any, *accounts: Account, mode: str = "auto", **options: Any) -> Any:
    async def run() -> Any:
        async with connected_to(*accounts, mode=mode, **options) as client:
            return await use(client)

    return anyio.run(run)


def complete(peer: Peer, argument: str, typed: str, mode: str = "auto", **known: str) -> list[str]:
    async def use(client: Client) -> list[str]:
        return (await ask(client, argument, typed, **known)).values

    values: list[str] = using(
        use, account_of_peer(peer, "home"), account_of_peer(peer, "personal"), mode=mode
    )
    return values


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("typed", "values"),
    [("", ["home", "personal"]), ("P", ["personal"]), ("o", ["home", "personal"]), ("x", [])],
)
def test_accounts_complete_without_a_connection(home: Peer, mode: str, typed: str, values: list[str]) -> None:
    assert complete(home, "account", typed, mode) == values
    assert home.connections == 0


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", ["INBOX", "100%/archived", "Archive", "Entwürfe", "Projects/2026"]),
        ("arc", ["Archive", "100%/archived"]),
        ("WÜRF", ["Entwürfe"]),
        ("20", ["Projects/2026"]),
        ("gmail", []),
        ("nothing", []),
    ],
)
def test_mailboxes_complete_as_they_are_called(home: Peer, mode: str, typed: str, values: list[str]) -> None:
    """Those that begin with it first, in any case; never one that holds no messages."""
    assert complete(home, "mailbox", typed, mode, account="home") == values


def test_a_value_expands_to_a_uri_that_can_be_read(home: Peer) -> None:
    """Percent-encoding is for the template: encoded values would be encoded twice."""

    async def use(client: Client) -> None:
        (name,) = (await ask(client, "mailbox", "100%", account="home")).values
        values = {"account": "home", "mailbox": name, "uidvalidity": "1700000000", "uid": "1"}
        with pytest.raises(MCPError) as caught:
            await client.read_resource(UriTemplate.parse(MESSAGE_TEMPLATE).expand(values))
        assert caught.value.error.data["reason"] == "message_gone"  # the mailbox is found, and empty

    using(use, account_of_peer(home, "home"))


def test_where_there_is_one_account_it_need_not_be_known(home: Peer) -> None:
    async def use(client: Client) -> list[str]:
        return (await ask(client, "mailbox", "Arch")).values

    assert using(use, account_of_peer(home, "home")) == ["Archive", "100%/archived"]


def test_mailboxes_of_no_account_are_none(home: Peer) -> None:
    assert complete(home, "mailbox", "") == []
    assert home.connections == 0


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("argument", ["uidvalidity", "uid"])
def test_numbers_have_no_completions(home: Peer, template: str, argument: str) -> None:
    async def use(client: Client) -> Completion:
        return await ask(client, argument, "1", template, account="home", mailbox="INBOX")

    found = using(use, account_of_peer(home, "home"))
    assert (found.values, found.total, found.has_more) == ([], 0, False)
    assert home.connections == 0


def test_parts_have_no_completions(home: Peer) -> None:
    async def use(client: Client) -> list[str]:
        return (await ask(client, "part_id", "", ATTACHMENT_TEMPLATE)).values

    assert using(use, account_of_peer(home, "home")) == []


def test_many_values_are_counted_and_cut(peer: PeerFactory) -> None:
    many = peer(mailboxes=[PeerMailbox(name=f"M{number:03}") for number in range(120)])

    async def use(client: Client) -> Completion:
        return await ask(client, "mailbox", "m")

    found = using(use, account_of_peer(many, "home"))
    assert found.values == [f"M{number:03}" for number in range(completion.COMPLETIONS_MAX)]
    assert (found.total, found.has_more) == (120, True)


def test_each_account_has_mailboxes_of_its_own(home: Peer, peer: PeerFactory) -> None:
    other = peer(mailboxes=[PeerMailbox(name="Archive of another")])

    async def use(client: Client) -> None:
        first = await ask(client, "mailbox", "archive", account="home")
        second = await ask(client, "mailbox", "archive", account="personal")
        assert first.values == ["Archive", "100%/archived"]
        assert second.values == ["Archive of another"]

    using(use, account_of_peer(home, "home"), account_of_peer(other, "personal"))


def error_of(peer: Peer, mode: str, reference: Any, argument: str, **known: str) -> Any:
    async def use(client: Client) -> Any:
        with pytest.raises(MCPError) as caught:
            await client.complete(
                reference, {"name": argument, "value": "a"}, context_arguments=known or None
            )
        await ask(client, "account", "")  # the server goes on
        return caught.value.error

    return using(use, account_of_peer(peer, "home"), mode=mode)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("reference", "argument", "field"),
    [
        (PromptReference(name="any"), "account", "ref"),
        (ResourceTemplateReference(uri="imap://home/mailbox"), "account", "ref"),
        (ResourceTemplateReference(uri="test://{account}"), "account", "ref"),
        (ResourceTemplateReference(uri=MESSAGE_TEMPLATE), "part_id", "argument"),
        (ResourceTemplateReference(uri=MESSAGE_TEMPLATE), "", "argument"),
    ],
)
def test_an_unknown_template_or_argument_is_refused(
    home: Peer, mode: str, reference: Any, argument: str, field: str
) -> None:
    error = error_of(home, mode, reference, argument)
    assert (error.code, error.data["code"]) == (-32602, "invalid_input")
    assert error.data["problems"] == [{"field": field, "reason": "invalid_value"}]
    assert home.connections == 0


@pytest.mark.parametrize("mode", ERAS)
def test_an_unknown_account_is_said_to_be(home: Peer, mode: str) -> None:
    error = error_of(home, mode, ResourceTemplateReference(uri=MESSAGE_TEMPLATE), "mailbox", account="x")
    assert (error.code, error.data["reason"]) == (-32602, "account_unknown")


@pytest.mark.parametrize("mode", ERAS)
def test_a_mail_server_that_is_down_is_an_error_and_no_empty_list(peer: PeerFactory, mode: str) -> None:
    reference = ResourceTemplateReference(uri=MESSAGE_TEMPLATE)
    error = error_of(peer(greeting=Bye()), mode, reference, "mailbox")
    assert (error.code, error.data["code"], error.data["retryable"]) == (-32603, "internal", True)
