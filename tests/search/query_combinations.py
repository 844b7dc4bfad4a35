"""Queries put together at random, always the same: criteria that hold for many, so that some hold for all."""

from datetime import date, timedelta
from random import Random
from zoneinfo import ZoneInfo

from search.known_mail import Known
from search.query import Matches, Query, any_of, both, everywhere, flagged, in_field, nowhere

_COUNT = 20
_SEED = 20_240_229
_ZONES = ("Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata")


def _unread(message: Known, _rules: object) -> bool:
    return "\\Seen" not in message.flags


def _sized(low: int, high: int) -> Matches:
    return lambda message, _rules: low < message.size < high


def _in_days(first: date, last: date, zone: ZoneInfo) -> Matches:
    return lambda message, _rules: first <= message.received.astimezone(zone).date() <= last


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


def _combine(random: Random) -> Query:
    chosen = random.sample(_PARTS, random.randint(2, 4))
    arguments: dict[str, object] = {}
    conditions: list[Matches] = []
    for each, matches in chosen:
        if each.keys() <= arguments.keys():
            continue
        arguments |= each
        conditions.append(matches)
    zone = ZoneInfo(random.choice(_ZONES))
    first = date(2023, 6, 1) + timedelta(days=random.randrange(900))
    last = first + timedelta(days=random.randrange(1, 150))
    arguments |= {"start_date": first.isoformat(), "end_date": last.isoformat()}
    conditions.append(_in_days(first, last, zone))
    arguments["sort"] = random.choice(("newest", "oldest", "largest"))
    return Query(arguments, both(*conditions), zone=zone)


def combinations() -> list[Query]:
    """Make the same queries each time, none twice."""
    random = Random(_SEED)  # noqa: S311 - nothing secret
    queries = [_combine(random) for _ in range(_COUNT)]
    return list({query.name: query for query in queries}.values())
