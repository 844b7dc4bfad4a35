"""A message, or its first octets: header fields, structure, content of parts.

Brings together `header.fields`, `mime.structure` and `mime.parser`. What the text says is up to
`mailmcp.mail.text.body`. Fetching what is missing is up to the caller, who asks `part_octets` first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mailmcp.mail.header.fields import HEADERS_CUT, Headers, header_end
from mailmcp.mail.mime.parser import MimeTree, split_message
from mailmcp.mail.mime.structure import Part, find_part, has_no_content, leaf_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """What the octets at hand show of a message."""

    octets: bytes
    """The whole message, or its beginning."""

    complete: bool
    """Whether `octets` is the whole message."""

    structure: Part | None
    """The server's tree, if it has content, with the errors corrected that the octets show. Otherwise the
    tree found in the octets, with the sizes found there."""

    tree: MimeTree
    """What was found in the octets."""

    trusted_sizes: bool
    """Whether the sizes in `structure` are the server's, so that they can prove a part whole."""

    same_leaves: bool
    """False if the whole message is here and has other leaves than the server says."""

    @property
    def headers(self) -> Headers:
        """The header fields of the message."""
        return self.tree.headers

    @property
    def defects(self) -> tuple[str, ...]:
        """What was wrong with the headers, and with the structure if it was found here."""
        defects = self.tree.headers.defects if self.trusted_sizes else self.tree.structure.defects
        goes_on = not self.complete and header_end(self.octets) == len(self.octets)
        return (*defects, HEADERS_CUT) if goes_on else defects

    def contents(self) -> dict[str, bytes]:
        """Return the content of each leaf that is here, perhaps cut, by part id; still transfer-encoded."""
        spans = ((part.part_id, self.tree.spans.get(part.part_id)) for part in leaf_parts(self.structure))
        return {part_id: self.octets[span.start : span.end] for part_id, span in spans if span is not None}

    def part_octets(self, part: Part) -> bytes | None:
        """Return the content of a leaf, still transfer-encoded, if all of it is here.

        It is if a boundary follows it, if the message is complete, or if as many octets are here
        as the server says the part has. The octets must have the content type and name of the
        server's part, and a whole message the same leaves: parsers may number malformed mail
        differently, and one file must not pass for another.

        Returns:
            The octets; None if they are cut or missing, and must be fetched by part id.
        """
        span = self.tree.spans.get(part.part_id)
        found = find_part(self.tree.structure.root, part.part_id)
        if span is None or found is None or not self.same_leaves:
            return None
        if (found.content_type, found.filename) != (part.content_type, part.filename):
            return None
        octets = self.octets[span.start : span.end]
        if self.complete or span.closed:
            return octets
        if self.trusted_sizes and len(octets) >= part.size_octets:
            return octets[: part.size_octets]
        return None


def parse_message(octets: bytes, *, complete: bool, structure: Part | None = None) -> MessageView:
    """Parse a message, or as much of it as is here; never raises on malformed mail.

    Args:
        octets: The message from its first header field on.
        complete: Whether this is all of it. If not, its last part may be cut.
        structure: The tree of the server's BODYSTRUCTURE. If None, the tree is found in the octets,
            and a part that is cut has the size that is here.
    """
    tree = split_message(octets, complete=complete)
    found = tree.structure.root
    same_leaves = True
    if structure is not None and complete and has_no_content(structure):
        structure = None
    if structure is not None:
        leaves = list(leaf_parts(found))
        same_leaves = not complete or [(part.part_id, part.content_type) for part in leaves] == [
            (part.part_id, part.content_type) for part in leaf_parts(structure)
        ]
        if same_leaves:
            structure = _with_whole_names(structure, {part.part_id: part for part in leaves})
    return MessageView(
        octets=octets,
        complete=complete,
        structure=structure if structure is not None else found,
        tree=tree,
        trusted_sizes=structure is not None,
        same_leaves=same_leaves,
    )


def _with_whole_names(part: Part, found: Mapping[str, Part]) -> Part:
    """Complete file names without quotes: servers read only their first word."""
    if part.is_multipart:
        parts = tuple(_with_whole_names(child, found) for child in part.parts)
        same = all(new is old for new, old in zip(parts, part.parts, strict=True))
        return part if same else replace(part, parts=parts)
    ours = found.get(part.part_id)
    if ours is None or ours.content_type != part.content_type or not part.filename:
        return part
    return replace(part, filename=ours.filename) if ours.filename.startswith(f"{part.filename} ") else part
