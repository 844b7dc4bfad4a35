"""The texts of a conversation, as imap_get_message shows them: without quoted history."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio

from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.calendar.invitation import (
    InvitationVersion,
    find_replaced,
    invitation_part,
    read_invitation,
)
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.mime.structure import Structure
from mailmcp.mail.mime.transfer import complete_lines
from mailmcp.mail.read import ReadText, read_text, text_to_fetch
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import message_issue
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.thread.conversation import Member
from mailmcp.tools.tool import Call
from mcp_envelope import Issue

_OCTETS: Final = 65_536
"""Fetched of each text: nearly all are shorter, quoted history included."""


@dataclass(slots=True, kw_only=True)
class Texts:
    """The texts of messages; each message has a text or an issue."""

    by_ref: dict[MessageRef, ReadText] = field(default_factory=dict)
    replaced: dict[MessageRef, MessageRef] = field(default_factory=dict)
    """Invitations of which a newer version is among the messages, each with the newest."""

    defects: list[tuple[str, ...]] = field(default_factory=list)
    """Of the structures of messages that may have parts which weren't read."""

    issues: list[Issue] = field(default_factory=list)


async def read_texts(call: Call, members: Sequence[Member]) -> Texts:
    """Fetch and read the texts of messages; one round trip for twenty mailboxes of an account."""
    structures = {each.ref: each.structure for each in members}
    fetched = await fetch_parts(call, list(structures), lambda _session, ref: _items(structures[ref]))
    texts = Texts(issues=[message_issue(ref, failure) for ref, failure in fetched.failures.items()])

    def read_all() -> None:
        versions: dict[MessageRef, InvitationVersion] = {}
        for each in members:
            if (row := fetched.messages.get(each.ref)) is None:
                continue
            texts.by_ref[each.ref], defects = _read(each, row)
            texts.defects += [defects] if defects else []
            if (part := invitation_part(each.structure.root)) is not None:
                octets = row.sections.get(part.part_id, b"")
                if (version := read_invitation(octets, part, call.preferences.zone)) is not None:
                    versions[each.ref] = version
        texts.replaced = find_replaced(versions)

    await anyio.to_thread.run_sync(read_all)
    return texts


def _items(structure: Structure) -> tuple[str, ...]:
    if structure.root is None or not structure.is_readable:
        return ("UID", f"BODY.PEEK[]<0.{_OCTETS}>")
    invitation = invitation_part(structure.root)
    parts = (*text_to_fetch(structure.root), *([invitation] if invitation else []))
    return ("UID", *(f"BODY.PEEK[{part.part_id}]<0.{_OCTETS}>" for part in parts))


def _read(member: Member, row: FetchedMessage) -> tuple[ReadText, tuple[str, ...]]:
    """Read the text of a message; also return the defects of its structure."""
    root, defects = member.structure.root, member.structure.defects
    if root is None or not member.structure.is_readable:
        octets = row.sections.get("", b"")
        view = parse_message(octets, complete=len(octets) < _OCTETS)
        root, defects, contents = view.structure, view.tree.structure.defects, view.contents()
        cut = set() if view.complete else {part.part_id for part in choose_text_parts(root).all}
    else:
        parts = text_to_fetch(root)
        contents = {part.part_id: row.sections.get(part.part_id.upper(), b"") for part in parts}
        cut = {part.part_id for part in parts if part.size_octets > _OCTETS}
    contents |= {part_id: complete_lines(contents[part_id]) for part_id in cut & contents.keys()}
    return read_text(member.headers, root, contents, cut=frozenset(cut)), defects
