"""Parses the XML of documents into elements, a few at a time.

Office documents have no document type, so one that has is refused (entity bombs). Names lose their namespace:
no format here uses a local name for two things that matter. Only attributes that refer to other parts keep
theirs, as `r:`, because an element can have both `id` and `r:id`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Final, NoReturn
from xml.parsers import expat

from mailmcp.documents.extraction import Cause, UnreadableError

XML_DEPTH_MAX: Final = 256
"""Nesting of elements in a document's XML; tables in tables reach 60."""

_CHUNK_OCTETS: Final = 65_536
_DIGITS_MAX: Final = 9
_OFF: Final = frozenset({"0", "false", "off", "none"})


@dataclass(slots=True)
class Element:
    """An element, with the elements and texts in it."""

    name: str
    attributes: Mapping[str, str]
    children: list["Element | str"] = field(default_factory=list)

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def number(self, name: str, default: int = 0) -> int:
        """Return an attribute that is a whole number of few digits; the default if it is none."""
        return parse_number(self.get(name), default)

    @property
    def is_on(self) -> bool:
        """Whether this toggle of Office is on: it is if it is present (ECMA-376 part 1, 17.17.4)."""
        return self.get("val", "true").lower() not in _OFF

    @property
    def elements(self) -> Iterator["Element"]:
        """The elements directly in it."""
        return (each for each in self.children if isinstance(each, Element))

    def child(self, name: str) -> "Element":
        """Return the first element of a name directly in it, or an empty one."""
        return next((each for each in self.elements if each.name == name), Element("", {}))

    def walk(self, skipped: Collection[str] = ()) -> Iterator["Element | str"]:
        """Yield all that is in it, in order, but for elements of some names."""
        for each in self.children:
            if isinstance(each, str):
                yield each
            elif each.name not in skipped:
                yield each
                yield from each.walk(skipped)

    def find(self, *names: str, skipped: Collection[str] = ()) -> Iterator["Element"]:
        """Yield the elements of some names in it, at any depth."""
        return (each for each in self.walk(skipped) if isinstance(each, Element) and each.name in names)

    def text(self, skipped: Collection[str] = ()) -> str:
        """Return all text in it, but for elements of some names."""
        return "".join(each for each in self.walk(skipped) if isinstance(each, str))


def read_elements(
    stream: IO[bytes], whole: Collection[str], on_chunk: Callable[[], None]
) -> Iterator[Element]:
    """Yield elements while the document is parsed.

    Args:
        stream: The document.
        whole: The names of elements to yield when they end, with all that is in them. All others are
            yielded when they begin, and are empty.
        on_chunk: Called for every 64 KiB; may raise.

    Raises:
        UnreadableError: There is a document type, or elements nest too deeply.
        expat.ExpatError: It is not XML. All elements before have been yielded.
    """
    builder = _Builder(whole)
    parser = builder.parser()
    more = True
    while more:
        chunk = stream.read(_CHUNK_OCTETS)
        more = bool(chunk)
        on_chunk()
        try:
            parser.Parse(chunk, not more)
        except expat.ExpatError:
            yield from builder.ready
            raise
        yield from builder.ready
        builder.ready.clear()


class _Builder:
    """The handlers of expat."""

    def __init__(self, whole: Collection[str]) -> None:
        self.ready: list[Element] = []
        self._whole = whole
        self._open: list[Element] = []
        self._depth = 0

    def parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _refuse
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > XML_DEPTH_MAX:
            raise UnreadableError(Cause.MALFORMED)
        named = {_attribute(key): value for key, value in attributes.items()} if attributes else attributes
        element = Element(name.rpartition(" ")[2], named)
        if self._open:
            self._open[-1].children.append(element)
        elif element.name not in self._whole:
            self.ready.append(element)
            return
        self._open.append(element)

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].children.append(text)

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                self.ready.append(element)


def parse_number(text: str, default: int = 0) -> int:
    """Parse a whole number from 0 of at most nine digits; any other text is the default."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX else default


def _attribute(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f"r:{local}" if namespace.endswith("/relationships") else local


def _refuse(*_: object) -> NoReturn:
    raise UnreadableError(Cause.MALFORMED)
