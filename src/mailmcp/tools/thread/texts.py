"""The texts of a conversation: the first octets of the text parts of its messages, without quoted history."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio

from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.clean import without_torn_end
from mailmcp.mail.header.subject import is_forward_subject
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts, list_files
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part, Structure
from mailmcp.mail.mime.transfer import complete_lines
from mailmcp.mail.read import text_to_fetch
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.quotes import CollapsedText, collapse_quotes
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import message_issue
from mailmcp.tools.fetch_parts import FetchedParts, fetch_parts
from mailmcp.tools.thread.member import Member
from mailmcp.tools.tool import Call
from mcp_envelope import Issue

_RESTS = ("More", "> More\n" * 9, "On 5 Nov 2026 at 9:30, Ada wrote:\n" + "> More\n" * 9)
"""How a truncated text may continue: unquoted, quoted, or quoted with an attribution."""

_TORN_OCTETS = 300
"""How much less of a truncated text is read to see what its end changes: half a character, a link."""

_OCTETS = limits.THREAD_TEXT_OCTETS
_WHOLE = ("UID", f"BODY.PEEK[]<0.{_OCTETS}>")
"""For a message whose structure can't be read, or not all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """The text of one message."""

    text: str
    """With its quoted history collapsed."""

    body: BodyText
    whole: bool
    """Whether all of it was fetched; if not, there is more than `text`."""

    common_chars: int
    """First characters of `text` that are the same in imap_get_message: further ones have no offset there."""

    files: tuple[Part, ...]
    defects: tuple[str, ...]
    """Of its structure: there may be parts that weren't read."""


@dataclass(slots=True, kw_only=True)
class ReadTexts:
    """The texts of messages; each message has a text or an issue."""

    texts: dict[MessageRef, ReadText] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)


async def read_texts(call: Call, members: Sequence[Member]) -> ReadTexts:
    """Fetch and read the texts of messages; one round trip for twenty mailboxes of an account."""
    structures = {each.ref: parse_body_structure(each.row.body_structure) for each in members}
    fetched = await fetch_parts(call, list(structures), lambda _session, ref: _items(structures[ref]))
    return await anyio.to_thread.run_sync(_read_all, members, structures, fetched)


def _read_all(
    members: Sequence[Member], structures: Mapping[MessageRef, Structure], fetched: FetchedParts
) -> ReadTexts:
    read = ReadTexts()
    above = ""
    for each in members:
        if each.ref in fetched.messages:
            text = _read(each, structures[each.ref], fetched.messages[each.ref], above)
            read.texts[each.ref], above = text, text.text
        else:
            read.issues.append(message_issue(each.ref, fetched.failures[each.ref]))
    return read


def _items(structure: Structure) -> tuple[str, ...]:
    if structure.root is None or not structure.is_readable:
        return _WHOLE
    return ("UID", *(f"BODY.PEEK[{part.part_id}]<0.{_OCTETS}>" for part in text_to_fetch(structure.root)))


def _read(member: Member, structure: Structure, row: FetchedMessage, above: str) -> ReadText:
    root, defects = structure.root, structure.defects
    if root is None or not structure.is_readable:
        octets = row.sections.get("", b"")
        view = parse_message(octets, complete=len(octets) < _OCTETS)
        root, defects = view.structure, view.tree.structure.defects
        found = {part.part_id: view.part_octets(part) or b"" for part in choose_text_parts(root).all}
        cut = set() if view.complete else set(list(found)[-1:])
    else:
        parts = text_to_fetch(root)
        cut = {part.part_id for part in parts if part.size_octets > _OCTETS}
        found = {part.part_id: row.sections.get(part.part_id.upper(), b"") for part in parts}
        found |= {part_id: complete_lines(found[part_id]) for part_id in cut}
    text_parts = choose_text_parts(root)
    body = body_text(text_parts, found, cut=frozenset(cut))
    chosen = text_parts.html if body.from_html else text_parts.plain
    cut &= {part.part_id for part in chosen}
    collapse = partial(
        collapse_quotes,
        reply=member.links.is_answer,
        forwarded=is_forward_subject(member.headers.get("Subject")),
    )
    if cut:
        less = found | {part_id: complete_lines(found[part_id][:-_TORN_OCTETS]) for part_id in cut}
        sure = body.text[: _common(body.text, body_text(text_parts, less, cut=frozenset(cut)).text)]
        text = shown_alone = _settled(without_torn_end(sure), collapse)
    else:
        shown_alone = collapse(body.text).text
        text = collapse(body.text, above=above).text
    return ReadText(
        text=text,
        body=body,
        whole=not cut,
        common_chars=_common(text, shown_alone),
        files=list_files(root),
        defects=defects,
    )


def _settled(text: str, collapse: Callable[[str], CollapsedText]) -> str:
    """Collapse the beginning of a text as far as the result does not depend on the rest."""
    one, *others = (collapse(f"{text}\n{rest}").text for rest in _RESTS)
    return one[: min(_common(one, other) for other in others)].rpartition("\n")[0]


def _common(text: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    differing = (index for index, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(text), len(other)))
