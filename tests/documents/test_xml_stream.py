"""XML as events, and none of what XML can do to a reader."""

import io
from xml.parsers.expat import ExpatError

import pytest

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.writer import StopReading
from mailmcp.documents.xml_stream import End, Event, Start, read_events, without

_LAUGHS = b"""<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>"""
_OUTSIDE = b"""<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>"""


def _events(xml: bytes) -> list[Event]:
    return list(read_events(io.BytesIO(xml), lambda: None))


def test_names_lose_their_namespace_but_references_keep_a_mark() -> None:
    xml = (
        '<p:a xmlns:p="urn:p" xmlns:z="http://example.org/relationships" id="1" z:id="2" p:x="3">'
        "<b/>t&amp;u<c>é</c></p:a>"
    ).encode()
    assert _events(xml) == [
        Start("a", {"id": "1", "r:id": "2", "x": "3"}),
        Start("b", {}),
        End("b"),
        "t&u",
        Start("c", {}),
        "é",
        End("c"),
        End("a"),
    ]


@pytest.mark.parametrize(
    "xml",
    [
        _LAUGHS,
        _OUTSIDE,
        b"<!DOCTYPE a><a/>",
        b"<a>" * (limits.XML_DEPTH_MAX + 1),
        _LAUGHS.decode().encode("utf-16"),
    ],
)
def test_dangers_are_refused(xml: bytes) -> None:
    with pytest.raises(UnreadableError) as refused:
        _events(xml)
    assert refused.value.cause is Cause.MALFORMED


def test_the_depth_allowed_is_allowed() -> None:
    depth = limits.XML_DEPTH_MAX
    assert len(_events(b"<a>" * depth + b"</a>" * depth)) == 2 * depth


@pytest.mark.parametrize("xml", [b"", b"no xml", b"<a>", b"<a></b>", b"<a>&undefined;</a>", b"<p:a/>"])
def test_what_is_no_xml_is_an_error(xml: bytes) -> None:
    with pytest.raises(ExpatError):
        _events(xml)


def test_what_stands_before_an_error_is_given_first() -> None:
    events = read_events(io.BytesIO(b"<a>text<b></a>"), lambda: None)
    assert [next(events), next(events), next(events)] == [Start("a", {}), "text", Start("b", {})]
    with pytest.raises(ExpatError):
        next(events)


def test_elements_are_left_out_with_everything_in_them() -> None:
    events = _events(b"<a>1<x>2<a>3</a><x>4</x></x>5<y/>6</a>")
    assert list(without(events, {"x", "y"})) == [Start("a", {}), "1", "5", "6", End("a")]


def test_the_clock_can_stop_it() -> None:
    def stop() -> None:
        raise StopReading

    with pytest.raises(StopReading):
        list(read_events(io.BytesIO(b"<a/>"), stop))
