"""BODYSTRUCTURE answers to a tree of parts (RFC 9051 section 7.5.2, `body`).

Takes the nested tuples that IMAPClient's response parser makes, and forgives what servers get
wrong: missing fields, NIL anywhere, numbers for strings. Never recurses deeper than
STRUCTURE_DEPTH_MAX.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from mailmcp.limits import STRUCTURE_DEPTH_MAX, STRUCTURE_PARTS_MAX
from mailmcp.mail.charset.decode import decode_text
from mailmcp.mail.header.fields import decode_encoded_words
from mailmcp.mail.mime.params import decode_parameters
from mailmcp.mail.mime.structure import (
    MESSAGE_TYPES,
    TOO_DEEP,
    TOO_MANY,
    Part,
    Structure,
    body_id,
    child_id,
    is_readable_type,
    make_part,
)

UNREADABLE: Final = "structure is unreadable"
PART_UNREADABLE: Final = "part of the structure is unreadable"
TYPE_UNREADABLE: Final = "the type of a part is unreadable"

_LEAF_FIELDS: Final = 7
"""From the type to the size (RFC 9051 section 9, `body-fields`)."""

_SIZE_MAX: Final = 2**63 - 1
_SIZE_DIGITS_MAX: Final = 18


def parse_body_structure(raw: object) -> Structure:
    """Read one BODYSTRUCTURE (or BODY) value.

    Args:
        raw: Nested tuples of bytes, int and None. Children of a multipart come before its subtype,
            perhaps in a list.

    Returns:
        The tree, without parts beyond STRUCTURE_PARTS_MAX or deeper than STRUCTURE_DEPTH_MAX. Its
        root is None if nothing could be read.
    """
    reader = _Reader()
    root = reader.read_body(raw, "", 0)
    defects = list(dict.fromkeys(reader.defects))
    return Structure(root=root, defects=tuple(defects if root is not None else [UNREADABLE, *defects]))


class _Reader:
    """Reads one structure; counts its parts and collects what is wrong."""

    __slots__ = ("count", "defects")

    def __init__(self) -> None:
        self.defects: list[str] = []
        self.count = 0

    def read_body(self, node: object, message_id: str, depth: int) -> Part | None:
        """Read the body of a message, the outer one or that in part `message_id`."""
        items = _items(node)
        multipart = bool(items) and isinstance(items[0], tuple)
        return self._read(items, body_id(message_id, multipart=multipart), depth)

    def _read(self, items: Sequence[object], part_id: str, depth: int) -> Part | None:
        """Read a part; None, with a defect, if it lies too deep or too many came before it."""
        self.count += 1
        if depth >= STRUCTURE_DEPTH_MAX or self.count > STRUCTURE_PARTS_MAX:
            self.defects.append(TOO_DEEP if depth >= STRUCTURE_DEPTH_MAX else TOO_MANY)
            return None
        if items and isinstance(items[0], tuple):
            return self._read_multipart(items, part_id, depth)
        return self._read_leaf(items, part_id, depth)

    def _read_multipart(self, items: Sequence[object], part_id: str, depth: int) -> Part:
        nodes = list(takewhile(lambda item: isinstance(item, tuple), items))
        children: list[Part] = []
        for number, node in enumerate(nodes, start=1):
            child = self._read(_items(node), child_id(part_id, number), depth + 1)
            if child is not None:
                children.append(child)
            elif self.count > STRUCTURE_PARTS_MAX:
                break
        subtype, params, *extension = (*items[len(nodes) :], None, None)
        if not _text(subtype):
            self.defects.append(PART_UNREADABLE)
        disposition, disposition_params = _disposition(extension)
        return make_part(
            part_id,
            content_type=f"multipart/{_text(subtype) or 'mixed'}",
            params=_params(params),
            disposition=disposition,
            disposition_params=disposition_params,
            parts=tuple(children),
        )

    def _read_leaf(self, items: Sequence[object], part_id: str, depth: int) -> Part | None:
        # The last two are there for an attached message only.
        main, sub, params, content_id, _, encoding, size, imap_envelope, body = (*items, *[None] * 9)[:9]
        content_type = f"{_text(main)}/{_text(sub)}"
        if not is_readable_type(content_type):  # Dovecot sends "" for what it can't read
            if len(items) < _LEAF_FIELDS:
                self.defects.append(PART_UNREADABLE)
                return None
            self.defects.append(TYPE_UNREADABLE)
        size_octets = _size(size)
        if size_octets is None:
            self.defects.append(PART_UNREADABLE)
        disposition, disposition_params = _disposition(items[7:])
        part = make_part(
            part_id,
            content_type=content_type,
            params=_params(params),
            encoding=_text(encoding),
            size_octets=size_octets or 0,
            disposition=disposition,
            disposition_params=disposition_params,
            content_id=_text(content_id),
            subject=_subject(imap_envelope) if content_type.lower() in MESSAGE_TYPES else "",
        )
        if not part.is_message or part.is_encoded_message or not isinstance(body, tuple):
            return part
        inner = self.read_body(body, part_id, depth + 1)
        return replace(part, parts=() if inner is None else (inner,))


def _subject(imap_envelope: object) -> str:
    """Return the subject in an ENVELOPE, which begins with the date; "" if the server left it out."""
    _, subject = (*_items(imap_envelope), None, None)[:2]
    return decode_encoded_words(_text(subject)).text


def _items(node: object) -> Sequence[object]:
    """Return the elements of a node. IMAPClient's BodyData keeps the children in a list of their own."""
    if not isinstance(node, tuple):
        return ()
    if node and isinstance(node[0], list):
        return (*node[0], *node[1:])
    return node


def _size(value: object) -> int | None:
    if isinstance(value, bytes) and value.isdigit() and len(value) <= _SIZE_DIGITS_MAX:
        return int(value)
    return value if isinstance(value, int) and 0 <= value <= _SIZE_MAX else None


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return decode_text(value, "").text
    return str(value) if isinstance(value, int) else ""


def _params(value: object) -> dict[str, str]:
    """Read a parameter list, without names that have no value."""
    items = _items(value)
    pairs = [(_text(name), _text(given)) for name, given in zip(items[::2], items[1::2], strict=False)]
    return decode_parameters((name, given) for name, given in pairs if name)


def _disposition(extension: Sequence[object]) -> tuple[str, dict[str, str]]:
    """Find the disposition among the extension fields.

    Its place depends on the type, and servers leave out fields before it. But nothing else there
    is a pair of a string and a list or NIL.
    """
    for item in extension:
        if isinstance(item, bytes) and item.lower() in (b"inline", b"attachment"):
            return item.decode("ascii"), {}
        match item:
            case (bytes() as kind, None | tuple() as params):
                return _text(kind), _params(params)
            case _:
                continue
    return "", {}
