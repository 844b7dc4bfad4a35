"""The tree of MIME parts of one message, wherever it was learned from.

Owns `Part` and section numbers (RFC 9051 section 6.4.5.1). `bodystructure` builds the tree from
a server's answer, `parser` from the octets. Both build their parts here, so the two trees compare
equal for well-formed mail.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mailmcp.limits import FILENAME_CHARS_MAX, HEADER_CHARS_MAX
from mailmcp.mail.clean import clean_line, cut_end, cut_start

TOO_DEEP: Final = "parts are nested too deeply"
TOO_MANY: Final = "too many parts"

MESSAGE_TYPES: Final = frozenset({"message/rfc822", "message/global"})
"""Types of whole messages inside a message (RFC 2046 section 5.2.1, RFC 6532 section 3.7)."""

_STATUS: Final = ("delivery-status", "disposition-notification")
REPORT_TYPES: Final = frozenset(
    {*(f"message/{of}{each}" for each in _STATUS for of in ("", "global-")), "message/feedback-report"}
)
"""Types of machine-readable reports (RFC 3464, 8098, 5965, 6533)."""

PKCS7_TYPES: Final = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
"""Types of S/MIME data that holds its content inside (RFC 8551 section 3.2)."""

NO_PARAMS: Final[Mapping[str, str]] = {}

_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_CALENDAR_TYPES: Final = frozenset({"text/calendar", "application/ics", "application/icalendar"})
_DECODED_FIRST: Final = frozenset({"base64", "quoted-printable"})
_CONTENT_TYPE: Final = re.compile(r"([a-z0-9!#$&^_.+-]+)\s*/\s*([a-z0-9!#$&^_.+-]+)")
_TOLD_BY_START: Final = frozenset({"text", "multipart", "message"})
"""Types that decide how a message is read: what stands behind one that can be made out is ignored."""

_TYPE_CHARS_MAX: Final = 127  # RFC 6838 section 4.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One MIME part. A multipart and a message/rfc822 have parts of their own."""

    part_id: str
    """Section number: "1", "2.1". The multipart that is the body of a whole message is "TEXT" ("2.TEXT")."""

    content_type: str
    """Type and subtype in lower case; "text/plain" if none was given (RFC 2045 section 5.2)."""

    params: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Parameters of the content type: lower-case names, decoded values."""

    encoding: str = "7bit"
    """Transfer encoding in lower case (RFC 2045 section 6)."""

    size_octets: int = 0
    """Length as stored, still transfer-encoded; 0 for a multipart."""

    disposition: str = ""
    """"inline", "attachment" (also for unknown ones, RFC 2183 section 2.8), or "" if none was given."""

    filename: str = ""
    """Last component of the decoded name, without invisible characters; "" if there is none."""

    content_id: str = ""
    """Without its angle brackets; "" if there is none."""

    subject: str = ""
    """Of an attached message: decoded, on one clean line; "" if it has none or it is not known."""

    parts: tuple["Part", ...] = ()
    """Children of a multipart. Of a message/rfc822, the root of the message inside, if that is known and
    not encoded."""

    @property
    def charset(self) -> str:
        """The declared charset in lower case; "" if there is none."""
        return self.params.get("charset", "").lower()

    @property
    def is_multipart(self) -> bool:
        """Whether this is a container, which has no content of its own."""
        return self.content_type.startswith("multipart/")

    @property
    def is_html(self) -> bool:
        """Whether the text of this part is HTML."""
        return self.content_type in _HTML_TYPES

    @property
    def is_calendar(self) -> bool:
        """Whether this is a calendar object: by its type, or by its name if the type says nothing."""
        if self.content_type in _CALENDAR_TYPES:
            return True
        return self.content_type == "application/octet-stream" and self.filename.lower().endswith(".ics")

    @property
    def is_opaque_signed(self) -> bool:
        """Whether this is S/MIME data that is signed in one piece with its content, or may be by its name."""
        return self.is_declared_signed or self.is_named_signed

    @property
    def is_declared_signed(self) -> bool:
        """Whether the type says that this is signed data."""
        return self.content_type in PKCS7_TYPES and self.params.get("smime-type", "").lower() == "signed-data"

    @property
    def is_named_signed(self) -> bool:
        """Whether only the name says that this is S/MIME data (RFC 8551 section 3.9), perhaps encrypted.

        The name is "smime.p7m", or another one of the whole message, or of its first part, which is no
        signed file ("a.xml.p7m").
        """
        stem, _, extension = self.filename.lower().rpartition(".")
        is_smime = stem == "smime" or (self.part_id == "1" and stem and "." not in stem)
        is_typed = self.content_type.startswith("application/")
        return extension == "p7m" and bool(is_smime) and is_typed and not self.params.get("smime-type")

    @property
    def is_bare(self) -> bool:
        """Whether this is plain text that has no name, no disposition and no id."""
        named = self.disposition or self.filename or self.content_id
        return self.content_type == "text/plain" and not named

    @property
    def is_message(self) -> bool:
        """Whether this is a whole message inside the message (message/rfc822, message/global)."""
        return self.content_type in MESSAGE_TYPES

    @property
    def is_encoded_message(self) -> bool:
        """Whether this is a message that must be decoded first: servers return nothing for its parts."""
        return self.is_message and self.encoding in _DECODED_FIRST

    @property
    def has_numbered_parts(self) -> bool:
        """Whether this is a message whose parts servers number: message/global is younger than IMAP4rev1."""
        return self.content_type == "message/rfc822" and self.encoding not in _DECODED_FIRST

    @property
    def decoded_size(self) -> int:
        """The decoded length in octets, estimated from the encoded one.

        Base64 holds three octets in four, and lines of 76 characters end with CRLF:
        size x 3/4 x 76/78, exact but for the last line. Otherwise the encoded size, which is the upper bound.
        """
        if self.encoding == "base64":
            return self.size_octets * 3 * 76 // (4 * 78)
        return self.size_octets


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """A tree of parts, or as much of one as could be read."""

    root: Part | None
    """None if nothing useful could be read."""

    defects: tuple[str, ...] = ()
    """Short stable phrases; empty if all of it was read. Otherwise the tree may lack parts."""

    @property
    def is_readable(self) -> bool:
        """Whether it can be relied on: it lacks no parts but those that are too deep or too many."""
        return {TOO_DEEP, TOO_MANY}.issuperset(self.defects)


def make_part(  # noqa: PLR0913 - a part has as many fields
    part_id: str = "",
    *,
    content_type: str = "",
    params: Mapping[str, str] = NO_PARAMS,
    encoding: str = "",
    size_octets: int = 0,
    disposition: str = "",
    disposition_params: Mapping[str, str] = NO_PARAMS,
    content_id: str = "",
    subject: str = "",
    parts: tuple[Part, ...] = (),
) -> Part:
    """Build a part from its decoded fields: apply defaults, lower the case, clean names.

    `content_type` is as written, without parameters; see `clean_content_type`.
    """
    disposition = disposition.strip().strip('"').lower()
    encoding = encoding.strip().lower() or "7bit"
    name = disposition_params.get("filename", "") or params.get("name", "")
    is_file = bool(name) or disposition not in ("", "inline") or encoding == "base64"
    return Part(
        part_id=part_id,
        content_type=clean_content_type(content_type, is_file=is_file),
        params=dict(params),
        encoding=encoding,
        size_octets=max(size_octets, 0),
        disposition=disposition if disposition in ("", "inline") else "attachment",
        filename=clean_filename(name),
        content_id=content_id.strip().strip("<>").strip(),
        subject=clean_subject(subject),
        parts=parts,
    )


def clean_subject(text: str) -> str:
    """Return a decoded subject on one clean line within its limit."""
    return cut_end(clean_line(text).text, HEADER_CHARS_MAX)


def is_readable_type(value: str) -> bool:
    """Return whether a value is a type and a subtype, and nothing else (RFC 2045 section 5.1)."""
    return _CONTENT_TYPE.fullmatch(value.strip().lower()) is not None


def clean_content_type(value: str, *, is_file: bool = False) -> str:
    """Return type and subtype in lower case.

    Args:
        value: The value of the field without its parameters.
        is_file: Whether anything else says that the part is a file.

    Returns:
        A type that can't be read, such as `PDF`, is "application/octet-stream" for a file. Otherwise it is
        "text/html" for `html` alone, and else "text/plain" (RFC 2045 section 5.2). A type or subtype of over
        127 characters, which none has (RFC 6838 section 4.2), can't be read.
    """
    value = value.strip().lower()
    if not is_file:
        value = value.strip('"')
    found = _CONTENT_TYPE.match(value)
    if found is not None and (found.end() == len(value) or found[1] in _TOLD_BY_START):
        too_long = any(len(name) > _TYPE_CHARS_MAX for name in found.groups())
        return "application/octet-stream" if too_long else f"{found[1]}/{found[2]}"
    if is_file:
        return "application/octet-stream"
    return "text/html" if value == "html" else "text/plain"


def clean_filename(name: str) -> str:
    """Return the last component of a file name: no folders, no invisible characters, no "." or ".."."""
    line = clean_line(name).text
    last = clean_line(line[max(line.rfind("/"), line.rfind("\\")) + 1 :]).text
    return "" if not last.strip(". ") else cut_start(last, FILENAME_CHARS_MAX)


def child_id(parent_id: str, number: int) -> str:
    """Return the section number of the `number`-th child, from 1, of a multipart."""
    above = parent_id.removesuffix("TEXT").removesuffix(".")
    return f"{above}.{number}" if above else str(number)


def body_id(message_id: str, *, multipart: bool) -> str:
    """Return the section number of the body of the message in part `message_id`; "" is the outer message."""
    name = "TEXT" if multipart else "1"
    return f"{message_id}.{name}" if message_id else name


def leaf_parts(root: Part | None) -> Iterator[Part]:
    """Yield the leaves in order. An attached message is one leaf, and is not entered."""
    if root is None:
        return
    if not root.is_multipart:
        yield root
        return
    for part in root.parts:
        yield from leaf_parts(part)


def has_no_content(root: Part) -> bool:
    """Return whether every leaf is empty: what servers make of mail that they can't take apart."""
    return not any(part.size_octets for part in leaf_parts(root))


def find_part(root: Part | None, part_id: str) -> Part | None:
    """Find a part by its section number, containers and the parts of attached messages included."""
    if root is None:
        return None
    if root.part_id == part_id:
        return root
    return next((found for part in root.parts if (found := find_part(part, part_id)) is not None), None)
