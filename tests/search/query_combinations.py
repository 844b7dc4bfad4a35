"""Queries put together at random, always the same: criteria that hold for many, so that some hold for all."""

from datetime import date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from search.known_mail import EDGES, Known
from search.query import Matches, Query, any_of, both, everywhere, flagged, in_field, nowhere

_COUNT = 20
_SEED = 20_240_229
_ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata", "America/Havana")


def _unread(message: Known, _rules: object) -> bool:
    return "\\Seen" not in message.flags


def _sized(low: int, high: int) -> Matches:
    return lambda message, _rules: low < message.size < high


def _in_days(first: date, last: date, zone: ZoneInfo, arguments: dict[str, object]) -> Matches:
    return lambda message, _rules: first <= message.time(arguments).astimezone(zone).date() <= last


def _on_side(moment: datetime, name: str, arguments: dict[str, object]) -> Matches:
    return lambda message, _rules: (message.time(arguments) >= moment) == (name == "since")


_PARTS: tuple[tuple[dict[str, object], Matches], ...] = (
    ({"query": "example mail"}, everywhere("example", "mail")),
    ({"query": "a"}, everywhere("a")),
    ({"exclude": "walruses swordfish"}, nowhere("walruses", "swordfish")),
    ({"exclude": "ü"}, nowhere("ü")),
    ({"from_": "example"}, in_field("from_", "example")),
    ({"to": "a.example"}, in_field("to", "a.example")),
    ({"cc": "e"}, in_field("cc", "e")),
    ({"any_address": "alpha"}, any_of(*(in_field(name, "alpha") for name in ("from_", "to", "cc")))),
    ({"subject": "e"}, in_field("subject", "e")),
    ({"unread_only": True}, _unread),
    ({"answered": True}, flagged("\\Answered")),
    ({"keyword": "$Forwarded"}, flagged("$Forwarded")),
    ({"larger_than": 350, "smaller_than": 700}, _sized(350, 700)),
    ({"has_attachment": True}, lambda message, _rules: message.written.files),
)


_DATED_PARTS: tuple[tuple[dict[str, object], Matches], ...] = (
    ({"subject": "report"}, in_field("subject", "report")),
    ({"unread_only": True}, _unread),
)


def _combine(random: Random, *, written: bool) -> Query:
    """Put criteria together with a span of whole days, or of time on one side of a moment."""
    parts = random.sample(_DATED_PARTS, random.randint(0, 1)) if written else random.sample(_PARTS, 3)
    arguments: dict[str, object] = {"dates": "written"} if written else {}
    conditions: list[Matches] = []
    for each, matches in parts:
        if not each.keys() <= arguments.keys():
            arguments |= each
            conditions.append(matches)
    zone = ZoneInfo(random.choice(_ZONES))
    first = date.fromisoformat(random.choice(EDGES)[:10])
    last = first + timedelta(days=random.choice([0, 1, 300] if written else [150, 300, 600]))
    if random.random() < 0.6:
        arguments |= {"start_date": first.isoformat(), "end_date": last.isoformat()}
        conditions.append(_in_days(first, last, zone, arguments))
    else:
        moment = datetime(first.year, first.month, first.day, random.randrange(24), tzinfo=zone)
        name = random.choice(["since", "before"])
        arguments[name] = moment.isoformat()
        conditions.append(_on_side(moment, name, arguments))
    arguments["sort"] = random.choice(("newest", "oldest", "largest"))
    return Query(arguments, both(*conditions), zone=zone)


def combinations(*, written: bool = False) -> list[Query]:
    """Make the same queries each time, none twice; by the Date header, or by arrival."""
    random = Random(_SEED)  # noqa: S311 - nothing secret
    queries = [_combine(random, written=written) for _ in range(_COUNT)]
    return list({query.name: query for query in queries}.values())
