"""The tree of MIME parts of one message, wherever it was learned from.

Owns `Part` and its numbering (RFC 9051 section 6.4.5.1). `bodystructure` makes
the tree of a server's answer, `parser` of the octets themselves; both build their
parts here, so that the two trees compare equal for well-formed mail.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mailmcp.limits import FILENAME_CHARS_MAX, HEADER_CHARS_MAX
from mailmcp.mail.clean import clean_line

TOO_DEEP: Final = "parts are nested too deep"
TOO_MANY: Final = "too many parts"

MESSAGE_TYPES: Final = frozenset({"message/rfc822", "message/global"})
"""Types of whole messages inside a message (RFC 2046 section 5.2.1, RFC 6532 section 3.7)."""

REPORT_TYPES: Final = frozenset(
    {
        "message/delivery-status",
        "message/global-delivery-status",
        "message/disposition-notification",
        "message/global-disposition-notification",
        "message/feedback-report",
    }
)
"""Types of what programs report to programs (RFC 3464, 8098, 5965, 6533): fields, one a line."""

_DECODED_FIRST: Final = frozenset({"base64", "quoted-printable"})
_CONTENT_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,127}/[a-z0-9!#$&^_.+-]{1,127}")
_PATH: Final = re.compile(r".*[/\\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One MIME part; a multipart and a message/rfc822 have parts of their own."""

    part_id: str
    """Section number: "1", "2.1". The multipart that is the body of a whole message is "TEXT" ("2.TEXT")."""

    content_type: str
    """Type and subtype in lower case; "text/plain" where none was given (RFC 2045 section 5.2)."""

    params: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Parameters of the content type: lower-case names, decoded values."""

    encoding: str = "7bit"
    """Transfer encoding in lower case (RFC 2045 section 6)."""

    size_octets: int = 0
    """Length as stored, still transfer-encoded, from 0; 0 for a multipart."""

    disposition: str = ""
    """"inline", "attachment" (unknown ones too: RFC 2183 section 2.8), or "" where none was given."""

    filename: str = ""
    """Last component of the decoded name, without invisible characters; "" when there is none."""

    content_id: str = ""
    """Without its angle brackets; "" when there is none."""

    subject: str = ""
    """Of the message inside, decoded, on one clean line; "" where there is none or it is not known."""

    parts: tuple["Part", ...] = ()
    """Children of a multipart; of a message/rfc822, the root of the message inside, if it is known and
    not encoded."""

    @property
    def charset(self) -> str:
        """The declared charset in lower case; "" when there is none."""
        return self.params.get("charset", "").lower()

    @property
    def is_multipart(self) -> bool:
        """Whether this is a container, which has no content of its own."""
        return self.content_type.startswith("multipart/")

    @property
    def is_bare(self) -> bool:
        """Whether this is text that nothing but its place describes: no name, no disposition, no id."""
        named = self.disposition or self.filename or self.content_id
        return self.content_type == "text/plain" and not named

    @property
    def is_message(self) -> bool:
        """Whether this is a whole message inside the message (message/rfc822, message/global)."""
        return self.content_type in MESSAGE_TYPES

    @property
    def is_encoded_message(self) -> bool:
        """Whether this is a message inside that must be decoded first: servers give nothing for its parts."""
        return self.is_message and self.encoding in _DECODED_FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """A tree of parts, or as much of one as could be read."""

    root: Part | None
    """None when nothing useful could be read."""

    defects: tuple[str, ...] = ()
    """Short stable phrases; empty when the structure was in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFields:
    """What describes one part, decoded but not yet judged: the raw material of `make_part`."""

    content_type: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    size_octets: int = 0
    disposition: str = ""
    disposition_params: Mapping[str, str] = field(default_factory=dict)
    content_id: str = ""
    subject: str = ""


def make_part(part_id: str, fields: PartFields, parts: tuple[Part, ...] = ()) -> Part:
    """Judge the fields of one part: defaults, lower case, clean names."""
    disposition = fields.disposition.strip().lower()
    name = fields.disposition_params.get("filename", "") or fields.params.get("name", "")
    return Part(
        part_id=part_id,
        content_type=clean_content_type(fields.content_type),
        params=dict(fields.params),
        encoding=fields.encoding.strip().lower() or "7bit",
        size_octets=max(fields.size_octets, 0),
        disposition=disposition if disposition in ("", "inline") else "attachment",
        filename=clean_filename(name),
        content_id=fields.content_id.strip().strip("<>").strip(),
        subject=clean_line(fields.subject).text[:HEADER_CHARS_MAX],
        parts=parts,
    )


def clean_content_type(value: str) -> str:
    """Keep type and subtype, in lower case; "text/plain" where there is no such pair."""
    found = _CONTENT_TYPE.match(value.strip().lower())
    return found.group() if found else "text/plain"


def clean_filename(name: str) -> str:
    """Keep the last component of a file name: no folders, no invisible characters, no "." or ".."."""
    last = clean_line(_PATH.sub("", clean_line(name).text)).text
    return "" if not last.strip(". ") else last[-FILENAME_CHARS_MAX:]


def child_id(parent_id: str, number: int) -> str:
    """Number the `number`-th child, from 1, of a multipart."""
    above = parent_id.removesuffix("TEXT").removesuffix(".")
    return f"{above}.{number}" if above else str(number)


def body_id(message_id: str, *, multipart: bool) -> str:
    """Number the body of the message in part `message_id`, or of the outer message for ""."""
    name = "TEXT" if multipart else "1"
    return f"{message_id}.{name}" if message_id else name


def walk(root: Part | None) -> Iterator[Part]:
    """Yield the leaves in order; a message inside is one leaf, and is not entered."""
    if root is None:
        return
    if not root.is_multipart:
        yield root
        return
    for part in root.parts:
        yield from walk(part)


def is_hollow(root: Part) -> bool:
    """Tell whether no leaf has an octet: what servers make of mail that they cannot take apart."""
    return not any(part.size_octets for part in walk(root))


def find(root: Part | None, part_id: str) -> Part | None:
    """Find a part by its number, containers and the parts of messages inside included; None without one."""
    if root is None:
        return None
    if root.part_id == part_id:
        return root
    return next((found for part in root.parts if (found := find(part, part_id)) is not None), None)
