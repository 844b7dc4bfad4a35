"""Calendar objects to their events and tasks (RFC 5545 sections 3.1 and 3.4).

The icalendar library parses the content lines. It does not build its objects here: for those it
expands the recurrence rules of time zones, which a hostile object makes take hours. What an event
says is up to `mailmcp.mail.calendar.invitation`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from mailmcp.limits import NOTICE_OCTETS_MAX
from mailmcp.mail.calendar.zones import OBSERVANCES_MAX, Observance, read_observance, zone_key

CALENDAR_EVENTS_MAX: Final = 200
"""Events of one calendar file that are written out as text."""

Zones: TypeAlias = Mapping[str, Sequence[Observance | None]]
"""By `zone_key`; with None for what can't be read."""

NO_ZONES: Final[Zones] = {}

BROKEN_CALENDAR: Final = "broken calendar object"
CALENDAR_CUT: Final = "calendar object is too long and was cut"
NO_EVENT: Final = "calendar object without an event"

_COMPONENTS: Final = frozenset({"vevent", "vtodo"})
_ZONE: Final = "vtimezone"
_OBSERVANCES: Final = frozenset({"standard", "daylight"})
_PROPERTIES: Final = frozenset(
    {
        "tzid",
        "tzoffsetfrom",
        "tzoffsetto",
        "rdate",
        "method",
        "begin",
        "end",
        "summary",
        "dtstart",
        "dtend",
        "duration",
        "due",
        "location",
        "organizer",
        "attendee",
        "status",
        "sequence",
        "rrule",
        "recurrence-id",
        "description",
        "url",
        "conference",
        "x-google-conference",
        "x-microsoft-skypeteamsmeetingurl",
    }
)
_NAME: Final = re.compile(r"[ \t]*([A-Za-z0-9-]{1,60})[ \t]*[:;]")
_LONE_CR: Final = re.compile(r"\r(?!\n)")
_DEPTH_MAX: Final = 8  # of components; real ones have three
_LINES_MAX: Final = 10_000  # that matter: 256 KB of real ones, read in a fifth of a second
_PROPERTIES_MAX: Final = 1_000  # of one event; a mailing to 1,000 attendees is not one


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One content line."""

    value: str
    """With its backslash escapes decoded; may have several lines."""

    params: Mapping[str, str] = field(default_factory=dict)
    """By lower-case name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarItem:
    """An event or a task, with the properties that a reader is shown."""

    is_task: bool
    properties: Mapping[str, tuple[Property, ...]]
    """In order, by lower-case name."""

    zones: Zones = field(default_factory=dict, compare=False, repr=False)
    """Those that the calendar object defines."""

    def get(self, name: str) -> Property | None:
        """Return the first property with that lower-case name; None if there is none."""
        return next(iter(self.properties.get(name, ())), None)

    def text(self, name: str) -> str:
        """Return the value of the first property with that lower-case name; "" if there is none."""
        found = self.get(name)
        return found.value if found is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The events and tasks of one calendar object."""

    method: str = ""
    """In lower case (RFC 5546 section 1.4): "request", "cancel", "reply"; "" if there is none."""

    items: tuple[CalendarItem, ...] = ()
    """At most CALENDAR_EVENTS_MAX."""

    defects: tuple[str, ...] = ()


def read_calendar(text: str) -> Calendar:
    """Read a calendar object, whole or cut, without alarms.

    Reads at most NOTICE_OCTETS_MAX characters and CALENDAR_EVENTS_MAX events.
    """
    reader = _Reader()
    for name, found in _properties(text[:NOTICE_OCTETS_MAX], reader.defects):
        reader.take(name, found)
        if reader.full:
            break
    if len(text) > NOTICE_OCTETS_MAX:
        reader.defects.append(CALENDAR_CUT)
    reader.finish()
    defects = tuple(dict.fromkeys(reader.defects))
    items = tuple(replace(each, zones=reader.zones) for each in reader.items)
    return Calendar(method=reader.method, items=items, defects=defects)


class _Reader:
    """Reads one object: which components are open, and their properties so far."""

    __slots__ = ("defects", "full", "items", "method", "observance", "open_", "properties", "zone", "zones")

    def __init__(self) -> None:
        self.method = ""
        self.full = False
        self.items: list[CalendarItem] = []
        self.defects: list[str] = []
        self.open_: list[str] = []
        self.properties: dict[str, list[Property]] = {}
        self.zones: dict[str, list[Observance | None]] = {}
        self.zone: list[Observance | None] = []
        self.observance: dict[str, str] = {}

    def take(self, name: str, found: Property) -> None:
        if name == "begin":
            self._begin(found.value.strip().lower())
        elif name == "end":
            self._end(found.value.strip().lower())
        elif name == "method" and not self.method:
            self.method = found.value.strip().lower()
        elif self.open_ and self.open_[-1] in _COMPONENTS:
            values = self.properties.setdefault(name, [])
            if len(values) < _PROPERTIES_MAX:
                values.append(found)
        elif self.open_ and self.open_[-1] in _OBSERVANCES:
            self.observance.setdefault(name, found.value)
        elif name == "tzid" and self.open_ and self.open_[-1] == _ZONE:
            self.zone = self.zones.setdefault(zone_key(found.value), [])

    def finish(self) -> None:
        """Keep the event in which the text ended."""
        if self.open_ and not self.full:
            self.defects.append(BROKEN_CALENDAR)
            self._close(self.open_)
        if not self.items:
            self.defects.append(NO_EVENT)

    def _begin(self, component: str) -> None:
        if component in _COMPONENTS and any(name in _COMPONENTS for name in self.open_):
            self.defects.append(BROKEN_CALENDAR)  # events do not nest: the last one was never closed
            self._close(self.open_)
            self.open_.clear()
        if len(self.open_) < _DEPTH_MAX:
            self.open_.append(component)

    def _end(self, component: str) -> None:
        if component not in self.open_:
            return
        at = len(self.open_) - 1 - self.open_[::-1].index(component)
        self._close(self.open_[at:])
        del self.open_[at:]

    def _close(self, components: list[str]) -> None:
        if not _OBSERVANCES.isdisjoint(components):
            if len(self.zone) < OBSERVANCES_MAX:
                self.zone.append(read_observance(self.observance))
            self.observance = {}
        kind = next((name for name in components if name in _COMPONENTS), "")
        if not kind:
            return
        if len(self.items) < CALENDAR_EVENTS_MAX:
            kept = {name: tuple(values) for name, values in self.properties.items()}
            self.items.append(CalendarItem(is_task=kind == "vtodo", properties=kept))
        else:
            self.full = True
            self.defects.append(CALENDAR_CUT)
        self.properties = {}


def _properties(text: str, defects: list[str]) -> Iterator[tuple[str, Property]]:
    """Yield the properties that matter, by lower-case name. A line that can't be read is a defect."""
    # Imported here: it takes 60 ms, and few messages hold a calendar object.
    from icalendar.parser import Contentline, Contentlines  # noqa: PLC0415

    lines: list[Contentline] = Contentlines.from_ical(_LONE_CR.sub("\n", text))  # type: ignore[no-untyped-call]
    count = 0
    for line in lines:
        match = _NAME.match(line)
        if match is None or match[1].lower() not in _PROPERTIES:
            continue
        count += 1
        if count > _LINES_MAX:
            defects.append(CALENDAR_CUT)
            return
        if match[1].lower() in ("begin", "end"):
            yield match[1].lower(), Property(value=line[match.end() :])
            continue
        try:
            _, params, value = line.parts()
        except ValueError:
            defects.append(BROKEN_CALENDAR)
            continue
        yield (
            match[1].lower(),
            Property(value=value, params={key.lower(): _param(given) for key, given in params.items()}),
        )


def _param(value: object) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else ""
