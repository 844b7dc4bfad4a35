"""The resources that every client reads, and how each of them ends."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clients.site import ODD, ODD_UID, RICH_UID, UIDVALIDITY, rich_message
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import MESSAGE_TEMPLATE, RAW_TEMPLATE, format_mailboxes_uri
from mcp_envelope import Code
from servers.peer_mailbox import make_messages

JsonObject = dict[str, Any]
Era = Literal["legacy", "modern"]

_RPC_CODES: Mapping[Code, Mapping[Era, int]] = {
    Code.INVALID_INPUT: {"legacy": -32602, "modern": -32602},
    Code.NOT_FOUND: {"legacy": -32002, "modern": -32602},
    Code.AUTH_FAILED: {"legacy": -32600, "modern": -32600},
    Code.CONFLICT: {"legacy": -32600, "modern": -32600},
    Code.TIMEOUT: {"legacy": -32603, "modern": -32603},
    Code.INTERNAL: {"legacy": -32603, "modern": -32603},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCase:
    """One resource, and how reading it ends."""

    name: str
    uri: str
    content_type: str = "text/markdown"
    text: str = ""
    """Is in the text of a success."""

    octets: bytes | None = None
    """Of a success that is a blob."""

    code: Code | None = None
    """Of an error."""


def _ref(
    uid: int, mailbox: str = "INBOX", *, account: str = "work", uidvalidity: int = UIDVALIDITY
) -> MessageRef:
    return MessageRef(account_id=account, mailbox=mailbox, uidvalidity=uidvalidity, uid=uid)


READS = (
    ReadCase(name="mailboxes", uri=format_mailboxes_uri("work"), text=f"`{ODD}`"),
    ReadCase(name="message", uri=_ref(6).message_uri, text="Text of message 6."),
    ReadCase(
        name="message of an odd mailbox", uri=_ref(ODD_UID, ODD).message_uri, text="Text of message 31."
    ),
    ReadCase(
        name="source",
        uri=_ref(RICH_UID, "Archive").message_raw_uri,
        content_type="message/rfc822",
        octets=rich_message(),
    ),
    ReadCase(
        name="source of an odd mailbox",
        uri=_ref(ODD_UID, ODD).message_raw_uri,
        content_type="message/rfc822",
        octets=make_messages(ODD_UID)[0].octets,
    ),
    ReadCase(
        name="attachment",
        uri=_ref(RICH_UID, "Archive").attachment_uri("3"),
        content_type="application/octet-stream",
        octets=b"\x00\x01",
    ),
    ReadCase(name="another scheme", uri="test://nothing", code=Code.INVALID_INPUT),
    ReadCase(name="half a URI", uri=_ref(6).message_uri.rpartition("/")[0], code=Code.INVALID_INPUT),
    ReadCase(name="no such account", uri=format_mailboxes_uri("home"), code=Code.NOT_FOUND),
    ReadCase(name="no such mailbox", uri=_ref(6, "Nowhere").message_uri, code=Code.NOT_FOUND),
    ReadCase(name="gone", uri=_ref(99).message_uri, code=Code.NOT_FOUND),
    ReadCase(name="source gone", uri=_ref(99).message_raw_uri, code=Code.NOT_FOUND),
    ReadCase(name="no such part", uri=_ref(RICH_UID, "Archive").attachment_uri("9"), code=Code.NOT_FOUND),
    ReadCase(name="stale", uri=_ref(6, uidvalidity=1).message_uri, code=Code.CONFLICT),
    ReadCase(name="source stale", uri=_ref(6, uidvalidity=1).message_raw_uri, code=Code.CONFLICT),
    ReadCase(name="attachment stale", uri=_ref(6, uidvalidity=1).attachment_uri("3"), code=Code.CONFLICT),
    ReadCase(name="refused", uri=_ref(5).message_raw_uri, code=Code.INTERNAL),
    ReadCase(name="wrong password", uri=format_mailboxes_uri("locked"), code=Code.AUTH_FAILED),
    ReadCase(name="silent server", uri=format_mailboxes_uri("silent"), code=Code.TIMEOUT),
)

LISTS: list[JsonObject] = [
    {"method": "resources/list", "params": {}},
    {"method": "resources/templates/list", "params": {}},
]
REQUESTS: list[JsonObject] = [
    *LISTS,
    *({"method": "resources/read", "params": {"uri": each.uri}} for each in READS),
]
"""What every client does, on one connection."""


def list_problems(endings: list[JsonObject]) -> Iterator[str]:
    """Hold the two lists against what the settings say."""
    listed, templates = (each.get("result", {}) for each in endings)
    if [each["uri"] for each in listed.get("resources", [])] != [
        format_mailboxes_uri(account) for account in ("work", "locked", "silent")
    ]:
        yield f"the list is {listed}"
    if [each["uriTemplate"] for each in templates.get("resourceTemplates", [])][:2] != [
        MESSAGE_TEMPLATE,
        RAW_TEMPLATE,
    ]:
        yield f"the templates are {templates}"


def read_problems(endings: list[JsonObject]) -> Iterator[str]:
    """List which reads did not end as they should, but for codes: not every client tells them."""
    for case, ending in zip(READS, endings, strict=True):
        if case.code is not None:
            if not ending.get("error"):
                yield f"{case.name}: no error but {ending}"
            continue
        contents = ending.get("result", {}).get("contents", [])
        if len(contents) != 1 or contents[0]["uri"] != case.uri:
            yield f"{case.name}: {ending}"
            continue
        yield from (f"{case.name}: {each}" for each in _content_problems(case, contents[0]))


def _content_problems(case: ReadCase, content: JsonObject) -> Iterator[str]:
    if content.get("mimeType") != case.content_type:
        yield f"the type is {content.get('mimeType')}"
    if case.octets is None and case.text not in content.get("text", ""):
        yield f"the text is {content}"
    if case.octets is not None and b64decode(content.get("blob", "")) != case.octets:
        yield "the octets are others"


def error_codes(era: Era) -> dict[str, tuple[int, str]]:
    """Give the code that each failing read has in JSON-RPC, and ours."""
    return {case.name: (_RPC_CODES[case.code][era], case.code.value) for case in READS if case.code}


def told_codes(endings: list[JsonObject]) -> dict[str, tuple[int, str]]:
    """Read what a client was told of the failing reads."""
    failed = ((case, ending["error"]) for case, ending in zip(READS, endings, strict=True) if case.code)
    return {case.name: (error["code"], (error.get("data") or {}).get("code", "")) for case, error in failed}
