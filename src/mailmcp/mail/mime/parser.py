"""Octets of a message to its parts: where each begins and ends (RFC 2046 section 5).

Every part is a span of the octets it came from. Depth and number of parts are bounded, and text is
not decoded. The standard library's parser can't be used: it recurses without bound, compares
every line with every open boundary, and can't tell a whole part from one that was cut.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.limits import STRUCTURE_DEPTH_MAX, STRUCTURE_PARTS_MAX
from mailmcp.mail.header.fields import Headers, header_end, parse_headers
from mailmcp.mail.mime.params import parse_parameterised
from mailmcp.mail.mime.structure import (
    TOO_DEEP,
    TOO_MANY,
    Part,
    Structure,
    body_id,
    child_id,
    clean_subject,
    make_part,
)

NO_BOUNDARY: Final = "multipart without its boundary"
NOT_CLOSED: Final = "multipart is not closed"

_LINE_END: Final = re.compile(rb"\r?\n|\r")
_AFTER_DELIMITER: Final = re.compile(rb"(?P<last>--)?[ \t]*(?:\r?\n|\r|\Z)")
_LIKE_BOUNDARY: Final = re.compile(
    rb"^--([^\s][^\r\n]{0,69}?)[ \t]*\r?\n(?=Content-[A-Za-z-]{1,40}[ \t]*:)", re.MULTILINE | re.IGNORECASE
)
_PREAMBLE_MAX: Final = 8_192
_USUAL_HEAD_OCTETS: Final = 65_536
"""Nearly all header blocks are shorter; a longer one costs a copy of the whole part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where the content of one leaf is, without its headers."""

    start: int
    end: int
    """After the last octet. The line end before a boundary belongs to the boundary."""

    closed: bool
    """Whether a boundary follows it, so that nothing of it is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MimeTree:
    """The parts that `split_message` found."""

    headers: Headers
    """Those of the outer message."""

    structure: Structure

    spans: dict[str, Span]
    """The content of each leaf and each attached message, by part id."""


def split_message(octets: bytes, *, complete: bool = True) -> MimeTree:
    """Find the parts of a message.

    Args:
        octets: A whole message, or its beginning.
        complete: Whether nothing follows; if so, the last part is whole too.

    Returns:
        Its tree and spans, with the sizes of the octets given. Never deeper than
        STRUCTURE_DEPTH_MAX, never more than STRUCTURE_PARTS_MAX parts.
    """
    splitter = _Splitter(octets)
    headers, root = splitter.message("", Span(start=0, end=len(octets), closed=complete), 0)
    defects = tuple(dict.fromkeys(splitter.defects))
    return MimeTree(headers=headers, structure=Structure(root=root, defects=defects), spans=splitter.spans)


class _Splitter:
    """The state while one message is split."""

    __slots__ = ("count", "defects", "octets", "spans")

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.spans: dict[str, Span] = {}
        self.defects: list[str] = []
        self.count = 0

    def message(self, message_id: str, span: Span, depth: int) -> tuple[Headers, Part | None]:
        """Split the message in `span`: part `message_id` of another, or "" for the outer one."""
        headers, content = self._entity(span)
        part = _read_fields(headers, "text/plain")
        multipart = self._boundary(part, content) != b""
        part_id = body_id(message_id, multipart=multipart)
        return headers, self._part(replace(part, part_id=part_id), content, depth)

    def _entity(self, span: Span) -> tuple[Headers, Span]:
        # A copy, so that the end of this part is the end of its headers at the latest.
        head = self.octets[span.start : min(span.end, span.start + _USUAL_HEAD_OCTETS)]
        end = header_end(head)
        if end == len(head) < span.end - span.start:
            head = self.octets[span.start : span.end]
            end = header_end(head)
        headers = parse_headers(head[:end])
        self.defects.extend(headers.defects)
        start = min(span.start + end, span.end)
        return headers, Span(start=start, end=span.end, closed=span.closed)

    def _part(self, part: Part, span: Span, depth: int) -> Part | None:
        self.count += 1
        if depth >= STRUCTURE_DEPTH_MAX or self.count > STRUCTURE_PARTS_MAX:
            self.defects.append(TOO_DEEP if depth >= STRUCTURE_DEPTH_MAX else TOO_MANY)
            return None
        boundary = self._boundary(part, span)
        if boundary:
            return replace(part, parts=tuple(self._children(part, boundary, span, depth)))
        if part.is_multipart:
            # It has no parts that can be told apart, but it can be read.
            self.defects.append(NO_BOUNDARY)
            part = make_part(part.part_id, content_type="text/plain", encoding=part.encoding)
        self.spans[part.part_id] = span
        part = replace(part, size_octets=span.end - span.start)
        if not part.is_message or part.is_encoded_message:
            return part
        headers, inner = self.message(part.part_id, span, depth + 1)
        subject = clean_subject(headers.get("subject"))
        return replace(part, subject=subject, parts=() if inner is None else (inner,))

    def _children(self, part: Part, boundary: bytes, span: Span, depth: int) -> Iterator[Part]:
        default = "message/rfc822" if part.content_type == "multipart/digest" else "text/plain"
        for number, child_span in enumerate(self._pieces(boundary, span), start=1):
            if self.count > STRUCTURE_PARTS_MAX:
                return
            headers, content = self._entity(child_span)
            fields = replace(_read_fields(headers, default), part_id=child_id(part.part_id, number))
            child = self._part(fields, content, depth + 1)
            if child is not None:
                yield child

    def _pieces(self, boundary: bytes, span: Span) -> Iterator[Span]:
        """Yield what is between the boundary lines of a multipart, without preamble and epilogue."""
        start = -1
        for line_start, line_end, last in self._delimiters(boundary, span):
            if start >= 0:
                line_end_octets = 2 if self.octets[line_start - 2 : line_start] == b"\r\n" else 1
                yield Span(start=start, end=max(start, line_start - line_end_octets), closed=True)
            start = line_end
            if last:
                return
        if start >= 0:
            if span.closed:
                self.defects.append(NOT_CLOSED)
            yield Span(start=start, end=span.end, closed=span.closed)

    def _delimiters(self, boundary: bytes, span: Span) -> Iterator[tuple[int, int, bool]]:
        """Yield start and end of each boundary line in `span`, and whether it is the closing one."""
        delimiter = b"--" + boundary
        position = self.octets.find(delimiter, span.start, span.end)
        while position >= 0:
            after = position + len(delimiter)
            at_line_start = position == span.start or self.octets[position - 1] in b"\r\n"
            match = _AFTER_DELIMITER.match(self.octets, after, span.end) if at_line_start else None
            # Cut octets may end inside a longer boundary that merely begins alike.
            if match is not None and (span.closed or match.end() < span.end or match.group().endswith(b"\n")):
                yield position, match.end(), match["last"] is not None
                after = max(after, match.end())
            position = self.octets.find(delimiter, after, span.end)

    def _boundary(self, part: Part, span: Span) -> bytes:
        """Return the boundary that a multipart uses, declared or not; b"" if there is none."""
        if not part.is_multipart:
            return b""
        boundary = part.params.get("boundary", "").rstrip().encode("utf-8", "replace")
        if boundary and next(self._delimiters(boundary, span), None) is not None:
            return boundary
        return self._find_boundary(span)

    def _find_boundary(self, span: Span) -> bytes:
        """Find an undeclared boundary: a line that begins with two hyphens, before header fields."""
        match = _LIKE_BOUNDARY.search(self.octets, span.start, min(span.end, span.start + _PREAMBLE_MAX))
        if match is None:
            return b""
        self.defects.append(NO_BOUNDARY)
        return match[1]


def _read_fields(headers: Headers, default_type: str) -> Part:
    raw_type = headers.raw_all("content-type")[:1]
    content_type, params = parse_parameterised("".join(raw_type))
    disposition, disposition_params = parse_parameterised("".join(headers.raw_all("content-disposition")[:1]))
    return make_part(
        content_type=content_type if raw_type else default_type,
        params=params,
        encoding=headers.get("content-transfer-encoding").partition(";")[0],
        disposition=disposition,
        disposition_params=disposition_params,
        content_id=headers.get("content-id"),
    )
