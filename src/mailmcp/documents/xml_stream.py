"""Parses the XML of documents into a stream of events.

Office documents have no document type, so one that has is refused (entity bombs). Names lose their namespace:
no format here uses a local name for two things that matter. Only attributes that refer to other parts keep
theirs, as `r:`, because an element can have both `id` and `r:id`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Final, NoReturn, TypeAlias
from xml.parsers import expat

from mailmcp.documents.extraction import Cause, UnreadableError

XML_DEPTH_MAX: Final = 256
"""Nesting of elements in a document's XML; tables in tables reach 60."""

_CHUNK_OCTETS: Final = 65_536


@dataclass(frozen=True, slots=True)
class Start:
    """An element begins."""

    name: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class End:
    """An element ends."""

    name: str


Event: TypeAlias = Start | End | str


def read_events(stream: IO[bytes], on_chunk: Callable[[], None]) -> Iterator[Event]:
    """Parse while the caller takes events; `on_chunk` is called for every 64 KiB and may raise.

    Events before an error are yielded before it is raised.

    Raises:
        UnreadableError: There is a document type, or elements nest too deeply.
        expat.ExpatError: It is not XML.
    """
    handlers = _Handlers()
    parser = handlers.parser()
    more = True
    while more:
        chunk = stream.read(_CHUNK_OCTETS)
        more = bool(chunk)
        on_chunk()
        try:
            parser.Parse(chunk, not more)
        except expat.ExpatError:
            yield from handlers.events
            raise
        yield from handlers.events
        handlers.events.clear()


def without(events: Iterable[Event], skipped: Collection[str]) -> Iterator[Event]:
    """Leave out the elements of some names, with everything in them."""
    depth = 0
    for event in events:
        if isinstance(event, Start) and (depth or event.name in skipped):
            depth += 1
        elif not depth:
            yield event
        elif isinstance(event, End):
            depth -= 1


class _Handlers:
    """The handlers of expat; collect the events of a chunk."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._depth = 0

    def parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.events.append
        parser.StartDoctypeDeclHandler = _refuse
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > XML_DEPTH_MAX:
            raise UnreadableError(Cause.MALFORMED)
        named = {_attribute(key): value for key, value in attributes.items()} if attributes else attributes
        self.events.append(Start(name.rpartition(" ")[2], named))

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.events.append(End(name.rpartition(" ")[2]))


def _attribute(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f"r:{local}" if namespace.endswith("/relationships") else local


def _refuse(*_: object) -> NoReturn:
    raise UnreadableError(Cause.MALFORMED)
