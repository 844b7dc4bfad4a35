"""The whole hostile mailbox, read once in a dialect through the server: every reply, kept."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mcp import Client
from mcp.types import CallToolResult, TextContent

from hostile.catalogue import HOSTILE
from hostile.message import OWN_ADDRESS, OWN_HOST, OWN_NAME
from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.server import EmbeddedServer
from mailmcp.model.owner import Owner
from mailmcp.server.app import Options, build_server
from mailmcp.tools.preferences import Preferences
from mcp_envelope import Dialect, check_reply
from servers.logins import plain_account

PAGE_SIZE = 25

_OWNER = Owner(names=(OWN_NAME,), addresses=(OWN_ADDRESS,), trusted_authserv_ids=(OWN_HOST,))
_RECEIVED = datetime(2026, 11, 5, 9, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply: both channels."""

    text: str
    envelope: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """What the tool says; every dialect calls it `data`."""
        data: dict[str, Any] = self.envelope["data"]
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """What one client was told in one dialect."""

    pages: list[Reply]
    """Of imap_search_messages, with snippets."""

    as_text: dict[str, Reply]
    """Of imap_get_message, by the name of the message."""

    as_both: dict[str, Reply]
    """The same with sanitised HTML, every header and the text of attachments."""


async def read_everything(dialect: Dialect) -> Replies:
    """Search the whole mailbox page by page, and get each message twice."""
    mailbox = SampleMailbox(
        name="INBOX",
        messages=tuple(SampleMessage(octets=mail.octets, internal_date=_RECEIVED) for mail in HOSTILE),
    )
    with EmbeddedServer(mailboxes=[mailbox]) as server:
        account = plain_account(server.host, server.port, server.user, server.password, account_id="home")
        preferences = Preferences(owners={"home": _OWNER})
        async with Client(
            build_server([account], Options(dialect=dialect, preferences=preferences))
        ) as client:
            return await _read(client, dialect)


async def _read(client: Client, dialect: Dialect) -> Replies:
    async def call(tool: str, **arguments: object) -> Reply:
        return _checked(await client.call_tool(tool, arguments), dialect)

    pages = [await call("imap_search_messages", limit=PAGE_SIZE, snippet_max_chars=200)]
    while cursor := pages[-1].data.get("next_cursor"):
        pages.append(await call("imap_search_messages", cursor=cursor))
    ids = [row["message_id"] for page in pages for row in page.data["messages"]]
    named = {mail.name: message_id for mail, message_id in zip(reversed(HOSTILE), ids, strict=True)}
    everything = {"body_mode": "html", "include_headers": True, "attachment_mode": "extract_text"}
    return Replies(
        pages=pages,
        as_text={name: await call("imap_get_message", message_id=each) for name, each in named.items()},
        as_both={
            name: await call("imap_get_message", message_id=each, quotes="keep", **everything)
            for name, each in named.items()
        },
    )


def _checked(result: CallToolResult, dialect: Dialect) -> Reply:
    assert not result.is_error, result
    assert check_reply(result.structured_content, dialect) == []
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.structured_content is not None
    return Reply(text=content.text, envelope=result.structured_content)
