"""XML of documents as a stream of events, without the dangers of XML.

Documents declare no entities and have no document type: what has one is refused
(entity bombs, files from elsewhere). Names come without their namespace, since no
format here uses one local name for two things where it matters; only attributes
that refer to other parts keep an `r:` before theirs (`id` stands beside `r:id`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Final, NoReturn, TypeAlias
from xml.parsers import expat

from mailmcp import limits
from mailmcp.documents.extraction import Cause
from mailmcp.documents.refusal import Refusal

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
    """Parse as the events are taken; `on_chunk` is called for every 64 KiB and may raise.

    What stands before an error is given before it is raised.

    Raises:
        Refusal: There is a document type, or elements nest too deeply.
        expat.ExpatError: It is no XML.
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


class _Handlers:
    """What expat calls: collects the events of a chunk."""

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
        if self._depth > limits.XML_DEPTH_MAX:
            raise Refusal(Cause.MALFORMED)
        named = {_attribute(key): value for key, value in attributes.items()} if attributes else attributes
        self.events.append(Start(name.rpartition(" ")[2], named))

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.events.append(End(name.rpartition(" ")[2]))


def _attribute(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f"r:{local}" if namespace.endswith("/relationships") else local


def _refuse(*_: object) -> NoReturn:
    raise Refusal(Cause.MALFORMED)
