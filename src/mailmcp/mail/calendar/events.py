"""Calendar objects to their events and tasks (RFC 5545 sections 3.1 and 3.4).

The icalendar library parses the content lines. It does not build its objects here: for those it
expands the recurrence rules of time zones, which a hostile object makes take hours. What an event
says is up to `mailmcp.mail.calendar.invitation`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    {"tzid", "tzoffsetfrom", "tzoffsetto", "rdate", "method", "begin", "end", "summary", "dtstart", "dtend"}
    | {"duration", "due", "location", "organizer", "attendee", "status", "sequence", "dtstamp", "uid"}
    | {"rrule", "recurrence-id", "description", "url", "conference", "x-google-conference"}
    | {"x-microsoft-skypeteamsmeetingurl"}
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


@dataclass(slots=True)
class _Component:
    """A component of the object, whole or still open."""

    kind: str
    properties: dict[str, list[Property]] = field(default_factory=dict)
    parts: list["_Component"] = field(default_factory=list)


def read_calendar(text: str) -> Calendar:
    """Read a calendar object, whole or cut, without alarms.

    Reads at most NOTICE_OCTETS_MAX characters and CALENDAR_EVENTS_MAX events.
    """
    method, is_full = "", False
    events, zones, defects = list[_Component](), list[_Component](), list[str]()
    path = [_Component("")]
    for name, found in _properties(text[:NOTICE_OCTETS_MAX], defects):
        value = found.value.strip().lower()
        if name == "begin":
            if value in _COMPONENTS and any(each.kind in _COMPONENTS for each in path):
                defects.append(BROKEN_CALENDAR)  # events do not nest: the last one was never closed
            if is_full := value in _COMPONENTS and len(events) == CALENDAR_EVENTS_MAX:
                break
            if len(path) <= _DEPTH_MAX:
                path.append(_Component(value))
                path[-2].parts.append(path[-1])
                (events if value in _COMPONENTS else zones if value == _ZONE else []).append(path[-1])
        elif name == "end":
            begun = [at for at, each in enumerate(path) if each.kind == value]
            del path[begun[-1] if begun else len(path) :]
        elif name == "method":
            method = method or value
        elif len(values := path[-1].properties.setdefault(name, [])) < _PROPERTIES_MAX:
            values.append(found)
    if is_full or len(text) > NOTICE_OCTETS_MAX:
        defects.append(CALENDAR_CUT)
    if len(path) > 1 and not is_full:
        defects.append(BROKEN_CALENDAR)
    if not events:
        defects.append(NO_EVENT)
    read_zones = _read_zones(zones)
    items = tuple(
        CalendarItem(
            is_task=each.kind == "vtodo",
            properties={name: tuple(values) for name, values in each.properties.items()},
            zones=read_zones,
        )
        for each in events
    )
    return Calendar(method=method, items=items, defects=tuple(dict.fromkeys(defects)))


def _read_zones(zones: Sequence[_Component]) -> Zones:
    found: dict[str, list[Observance | None]] = {}
    for zone in zones:
        for tzid in zone.properties.get("tzid", ())[:1]:
            rules = (each.properties.items() for each in zone.parts if each.kind in _OBSERVANCES)
            read = [read_observance({name: values[0].value for name, values in each}) for each in rules]
            kept = found.setdefault(zone_key(tzid.value), [])
            kept += read[: OBSERVANCES_MAX - len(kept)]
    return found


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
