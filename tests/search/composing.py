"""Messages written octet by octet, beside what is known of them: their text, decoded, and their files.

No mail library is asked how to write or to read: what the tests expect does not rest on one.
"""

import base64
import quopri
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "7bit": bytes,
    "8bit": bytes,
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A part without parts."""

    content_type: str = "text/plain"
    text: str | None = None
    """None if it isn't text but `octets`."""

    octets: bytes = b"%PDF-1.4 not really"
    charset: str = "utf-8"
    encoding: str = "7bit"
    headers: tuple[tuple[str, str], ...] = ()
    """More header fields, as they are written: ASCII."""

    file: bool = False
    """Whether a person would call it a file."""

    def head(self) -> list[tuple[str, str]]:
        """List its header fields."""
        charset = f"; charset={self.charset}" if self.text is not None else ""
        return [
            ("Content-Type", self.content_type + charset),
            ("Content-Transfer-Encoding", self.encoding),
            *self.headers,
        ]

    def body(self) -> bytes:
        """Write its body."""
        octets = self.octets if self.text is None else self.text.encode(self.charset)
        return _ENCODERS[self.encoding](octets)

    def leaves(self) -> "Iterator[Leaf | Enclosed]":
        """Yield itself."""
        yield self


@dataclass(frozen=True, slots=True, kw_only=True)
class Multipart:
    """Parts within a part."""

    subtype: str
    parts: "tuple[Part, ...]"
    boundary: str

    def head(self) -> list[tuple[str, str]]:
        """List its header fields."""
        return [("Content-Type", f'multipart/{self.subtype}; boundary="{self.boundary}"')]

    def body(self) -> bytes:
        """Write all its parts between their boundaries."""
        line = f"\n--{self.boundary}".encode()
        return b"".join(line + b"\n" + write(part.head(), part) for part in self.parts) + line + b"--\n"

    def leaves(self) -> "Iterator[Leaf | Enclosed]":
        """Yield what is in it."""
        for part in self.parts:
            yield from part.leaves()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosed:
    """A whole message within a message."""

    fields: tuple[tuple[str, str], ...]
    inner: Leaf
    file: bool = True

    def head(self) -> list[tuple[str, str]]:
        """List its header fields."""
        return [("Content-Type", "message/rfc822")]

    def body(self) -> bytes:
        """Write the message inside."""
        return write([*self.fields, *self.inner.head()], self.inner)

    def leaves(self) -> "Iterator[Leaf | Enclosed]":
        """Yield itself: what is in it is no part of the message."""
        yield self


Part = Leaf | Multipart | Enclosed


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A message, and all that a server may search in it."""

    octets: bytes
    """With CRLF line ends."""

    lines: tuple[str, ...]
    """Each header field of the message, its parts and messages inside, decoded, as `Name: value`."""

    texts: tuple[str, ...]
    """The text of each text part, decoded."""

    files: bool = False
    """Whether it has one."""


def encoded_words(text: str, charset: str = "utf-8") -> str:
    """Write text as RFC 2047 asks: one word in Base64."""
    return f"=?{charset}?b?{base64.b64encode(text.encode(charset)).decode()}?="


def compose(fields: list[tuple[str, str]], part: Part, charset: str = "utf-8") -> Written:
    """Write a message.

    Args:
        fields: Its header, decoded; values beyond ASCII are written as encoded words of `charset`.
        part: Its body.
        charset: Of the header.
    """
    # An address stays outside the encoded word.
    coded = [(name, _coded(value, charset)) for name, value in fields]
    head = [*coded, ("MIME-Version", "1.0"), *part.head()]
    leaves = list(part.leaves())
    inner = [
        f"{name}: {value}"
        for each in _inner_parts(part)
        for name, value in (each.head() + (list(each.fields) if isinstance(each, Enclosed) else []))
    ] + [
        f"{name}: {value}"
        for each in leaves
        if isinstance(each, Enclosed)
        for name, value in each.inner.head()
    ]
    own = [*fields, ("MIME-Version", "1.0"), *part.head()]
    texts = [each.text if isinstance(each, Leaf) else each.inner.text for each in leaves]
    return Written(
        octets=write(head, part).replace(b"\n", b"\r\n"),
        lines=(*(f"{name}: {value}" for name, value in own), *inner),
        texts=tuple(text for text in texts if text is not None),
        files=any(each.file for each in leaves),
    )


def _inner_parts(part: Part) -> Iterator[Part]:
    if isinstance(part, Multipart):
        for each in part.parts:
            yield each
            yield from _inner_parts(each)


def _coded(value: str, charset: str) -> str:
    if value.isascii():
        return value
    name, bracket, address = value.partition(" <")
    return encoded_words(name.strip('"'), charset) + bracket + address


def write(head: list[tuple[str, str]], part: Part) -> bytes:
    """Write header fields and a body, with LF line ends."""
    lines = "".join(f"{name}: {value}\n" for name, value in head)
    return lines.encode("ascii") + b"\n" + part.body()
