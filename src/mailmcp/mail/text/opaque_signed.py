"""Text parts that lie inside signed data, opened so that they read like others.

Composes `mime.smime`, `message` and `parts.text`; one level deep.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import TextParts, choose_text_parts
from mailmcp.mail.mime.smime import signed_content
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.transfer import decode_transfer


def open_signed(text_parts: TextParts, octets: Mapping[str, bytes]) -> tuple[TextParts, Mapping[str, bytes]]:
    """Put the text parts inside signed data in the place of the part that holds them.

    Args:
        text_parts: From `choose_text_parts`.
        octets: Content by part id, still transfer-encoded, each possibly cut.

    Returns:
        The parts and their content. The ids of the parts inside are for this
        mapping alone: no server knows them. Signed data that is not there, or
        cannot be opened, stays as it is.
    """
    wrapped = [part for part in text_parts.all if part.is_opaque_signed and part.part_id in octets]
    if not wrapped:
        return text_parts, octets
    inside: dict[str, TextParts] = {}
    content = dict(octets)
    for part in wrapped:
        found, pieces = _open(part, octets[part.part_id])
        if found.all:
            inside[part.part_id] = found
            content |= pieces
    plain = _in_place(text_parts.plain, {name: found.plain for name, found in inside.items()})
    html = _in_place(text_parts.html, {name: found.html for name, found in inside.items()})
    return TextParts(plain=plain, html=html), content


def _open(part: Part, octets: bytes) -> tuple[TextParts, dict[str, bytes]]:
    entity = signed_content(decode_transfer(octets, part.encoding).octets)
    # The MIME entity has no message header of its own; its parts may be cut.
    tree = parse_message(entity, complete=False).tree
    found = choose_text_parts(tree.structure.root if entity else None)
    spans = tree.spans
    pieces = {
        f"{part.part_id}.{each.part_id}": entity[spans[each.part_id].start : spans[each.part_id].end]
        for each in found.all
    }
    return TextParts(plain=_renamed(part, found.plain), html=_renamed(part, found.html)), pieces


def _renamed(part: Part, inside: Sequence[Part]) -> tuple[Part, ...]:
    """Number the parts inside below `part`; signed data in signed data is not opened."""
    return tuple(
        replace(each, part_id=f"{part.part_id}.{each.part_id}")
        for each in inside
        if not each.is_opaque_signed
    )


def _in_place(parts: Sequence[Part], inside: Mapping[str, tuple[Part, ...]]) -> tuple[Part, ...]:
    return tuple(each for part in parts for each in inside.get(part.part_id, (part,)))
