"""The tool as a client sees it: listed only where it is allowed, asking the person where the client can."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult

from mailmcp.imap.account import Account
from mailmcp.server.app import Options, build_server
from mailmcp.tools.preferences import Preferences
from tools.change.changing import CHANGE, contents, letters, writing
from tools.stores import Store

ERAS: list[Literal["legacy", "auto"]] = ["legacy", "auto"]

Open = Callable[..., Any]


@pytest.fixture
def connect(tmp_path: Path) -> Open:
    """Opens a client of a server for an account; takes options of the SDK's client."""

    @asynccontextmanager
    async def connect(account: Account, **options: Any) -> AsyncIterator[Client]:
        server = build_server([account], Options(preferences=Preferences(journal_folder=tmp_path)))
        async with Client(server, **options) as client:
            yield client

    return connect


def envelope(result: CallToolResult) -> dict[str, Any]:
    content: dict[str, Any] = result.structured_content or {}
    return content


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("agrees", [True, False, None])
def test_the_person_is_asked_with_the_plan(
    dovecot_mail: Store, connect: Open, era: Literal["legacy", "auto"], *, agrees: bool | None
) -> None:
    """An accepted form without the answer is a no."""
    dovecot_mail.fill("INBOX", letters("One", "Two"))
    asked: list[str] = []

    async def fill_in(_context: object, params: ElicitRequestFormParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={} if agrees is None else {"do_it": agrees})

    async def run() -> CallToolResult:
        account = writing(dovecot_mail.account)
        async with connect(account, mode=era, elicitation_callback=fill_in) as client:
            result = await client.call_tool(CHANGE, {"action": "trash", "search": {"subject": "Two"}})
            assert isinstance(result, CallToolResult)
            return result

    result = anyio.run(run)
    [plan] = asked
    assert plan.startswith("Move 1 message from `INBOX` of account work to `Trash`.\nUnread: 1.\n")
    if agrees:
        assert envelope(result)["data"]["done"] == 1
        assert contents(dovecot_mail)["Trash"].keys() == {"Two"}
    else:
        assert envelope(result)["error"]["details"]["reason"] == "declined"
        assert contents(dovecot_mail)["INBOX"].keys() == {"One", "Two"}


def test_where_nobody_can_be_asked_the_reply_says_what_to_send(store: Store, connect: Open) -> None:
    store.fill("INBOX", letters("One", "Two"))

    async def run() -> None:
        async with connect(writing(store.account)) as client:
            search = await client.call_tool("imap_search_messages", {})
            ids = [each["message_id"] for each in envelope(search)["data"]["messages"]]
            asked = await client.call_tool(CHANGE, {"action": "delete_forever", "message_ids": ids[:1]})
            error = envelope(asked)["error"]
            assert asked.is_error is True
            assert "Confirm first: Delete 1 message from `INBOX`" in asked.content[0].text
            done = await client.call_tool(error["next_action"]["tool"], error["next_action"]["arguments"])
            assert envelope(done)["data"]["changed"] == ids[:1]

    anyio.run(run)
    assert contents(store)["INBOX"].keys() == {"One"}
