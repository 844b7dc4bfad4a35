"""A message, or its first octets, as one view: headers, structure, content of parts.

The meeting point of `header.fields`, `mime.structure` and `mime.parser`. What the text says is
for `body`; fetching what is missing is for the caller, who asks `part_octets`
first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mailmcp.limits import HEADERS_OCTETS_MAX
from mailmcp.mail.header.fields import HEADERS_CUT, Headers, header_end, parse_headers
from mailmcp.mail.mime.parser import MimeTree, split_message
from mailmcp.mail.mime.structure import Part, find_part, has_no_content, leaf_parts

_LINE_END_OCTETS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """What can be said of a message from the octets given."""

    octets: bytes
    """The whole message, or its beginning."""

    complete: bool
    """Whether `octets` is the whole message."""

    structure: Part | None
    """The tree the server gave, if it has content, without parts that are not there, and with file names of
    which it lost words as they stand in the octets; else the one found in the octets (whose sizes are of what
    was given)."""

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
        """What was wrong with headers and structure; of the structure only if it was found here."""
        return self.tree.headers.defects if self.trusted_sizes else self.tree.structure.defects

    @property
    def header_goes_on(self) -> bool:
        """Whether `octets` ends within the header block."""
        return not self.complete and header_end(self.octets) == len(self.octets)

    def with_header(self, *blocks: bytes) -> "MessageView":
        """Return this view with the header fields of blocks that were fetched apart.

        A block of HEADERS_OCTETS_MAX is taken for the beginning of a longer one.
        """
        parsed = [parse_headers(block) for block in blocks]
        defects = [defect for headers in parsed for defect in headers.defects]
        defects += [HEADERS_CUT for block in blocks if len(block) >= HEADERS_OCTETS_MAX]
        fields = tuple(field for headers in parsed for field in headers.fields)
        headers = Headers(fields=fields, defects=tuple(dict.fromkeys(defects)))
        return replace(self, tree=replace(self.tree, headers=headers))

    def contents(self) -> dict[str, bytes]:
        """Return the content of each leaf that is here, perhaps cut, by part id; still transfer-encoded."""
        spans = ((part.part_id, self.tree.spans.get(part.part_id)) for part in leaf_parts(self.structure))
        return {part_id: self.octets[span.start : span.end] for part_id, span in spans if span is not None}

    def part_octets(self, part: Part) -> bytes | None:
        """Give the content of a leaf, still transfer-encoded, if it is wholly here.

        It is when a boundary was seen after it, when the message is complete,
        or when as many octets are here as the server says the part has. The
        octets found must be of the same content type and name as the server's
        part, and a whole message of the same leaves: parsers may number malformed
        mail differently, and one file must not pass for another.

        Returns:
            The octets; None when they are cut or missing, to be fetched by part id.
        """
        span = self.tree.spans.get(part.part_id)
        found = find_part(self.tree.structure.root, part.part_id)
        if span is None or found is None or not self.same_leaves or _nature(found) != _nature(part):
            return None
        octets = self.octets[span.start : span.end]
        if self.complete or span.closed:
            return octets
        if self.trusted_sizes and len(octets) >= part.size_octets:
            return octets[: part.size_octets]
        return None


def parse_message(octets: bytes, *, complete: bool, structure: Part | None = None) -> MessageView:
    """Read a message, or as much of it as is here; never raises on malformed mail.

    Args:
        octets: The message from its first header on.
        complete: Whether this is all of it. If not, its last part may be cut.
        structure: The tree of the server's BODYSTRUCTURE. If None, it is found
            in the octets; then a part that is cut shows the size it has here.
    """
    tree = split_message(octets, complete=complete)
    if complete and structure is not None and has_no_content(structure):
        structure = None
    found = tree.structure.root
    if structure is not None:
        structure = _without_phantoms(structure, found, complete=complete)
    same_leaves = structure is None or not complete or _leaves(structure) == _leaves(found)
    if structure is not None and same_leaves:
        structure = _with_whole_names(structure, {part.part_id: part for part in leaf_parts(found)})
    return MessageView(
        octets=octets,
        complete=complete,
        structure=structure if structure is not None else found,
        tree=tree,
        trusted_sizes=structure is not None,
        same_leaves=same_leaves,
    )


def _without_phantoms(part: Part, found: Part | None, *, complete: bool) -> Part:
    """Leave out the parts that are not there: Dovecot makes one of what follows the closing boundary.

    It reads a boundary without quotes up to the first special character, so that the closing
    one looks like another that merely begins alike. Where the end of the message is not here, such a
    part counts only if it is empty.
    """
    parts = tuple(_without_phantoms(each, found, complete=complete) for each in part.parts)
    ours = find_part(found, part.part_id) if part.is_multipart else None
    if ours is not None and parts and parts[-1].is_bare:
        read, whole = (each.params.get("boundary", "") for each in (part, ours))
        empty = parts[-1].size_octets <= _LINE_END_OCTETS
        one_more = len(parts) == len(ours.parts) + 1 if complete else empty
        if one_more and len(read) < len(whole) and whole.startswith(read):
            parts = parts[:-1]
    return part if parts == part.parts else replace(part, parts=parts)


def _with_whole_names(part: Part, found: Mapping[str, Part]) -> Part:
    """Complete the file names without quotes, of which servers read the first word."""
    if part.is_multipart:
        parts = tuple(_with_whole_names(child, found) for child in part.parts)
        same = all(new is old for new, old in zip(parts, part.parts, strict=True))
        return part if same else replace(part, parts=parts)
    ours = found.get(part.part_id)
    if ours is None or ours.content_type != part.content_type or not part.filename:
        return part
    return replace(part, filename=ours.filename) if ours.filename.startswith(f"{part.filename} ") else part


def _leaves(root: Part | None) -> list[tuple[str, str]]:
    return [(part.part_id, part.content_type) for part in leaf_parts(root)]


def _nature(part: Part) -> tuple[str, str]:
    return part.content_type, part.filename
