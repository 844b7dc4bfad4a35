"""Notices: what a program tells by a part of a message, in short.

Calendar objects, delivery reports and read receipts are chosen from the structure
and read into a few fields each. What the fields say is for `invitation` and `report`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mailmcp.limits import NOTICE_OCTETS_MAX, NOTICE_PARTS_MAX, NOTICES_MAX, TEXT_PART_OCTETS_MAX
from mailmcp.mail.calendar.invitation import decode_calendar, describe_item
from mailmcp.mail.mime.structure import Part, leaf_parts
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.report import (
    is_delivery_report,
    is_original,
    is_read_receipt,
    read_delivery_report,
    read_original,
    read_receipt,
)

INVITATION: Final = "invitation"
DELIVERY_REPORT: Final = "delivery_report"
READ_RECEIPT: Final = "read_receipt"
TOO_MANY_NOTICES: Final = "too many events or recipients: not all are told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One event, or one recipient reported on."""

    kind: str
    """"invitation", "delivery_report" or "read_receipt"."""

    part_id: str
    """The part that it was read from."""

    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """In reading order; values are one clean line of at most NOTICE_CHARS_MAX characters, never empty."""

    defects: tuple[str, ...] = ()


def choose_notice_parts(root: Part | None) -> tuple[Part, ...]:
    """Choose the parts that notices are read from, by the structure alone.

    Returns:
        Calendar objects and reports up to TEXT_PART_OCTETS_MAX, at most
        NOTICE_PARTS_MAX, in order; after a report also the message reported on,
        if that is small. Parts of messages inside are not looked at.
    """
    chosen: list[Part] = []
    notices = 0
    reported = False
    for part in leaf_parts(root):
        if part.size_octets > TEXT_PART_OCTETS_MAX:
            continue
        if reported and is_original(part):
            chosen.append(part)
            reported = False
        elif notices < NOTICE_PARTS_MAX and (part.is_calendar or _is_report(part)):
            chosen.append(part)
            notices += 1
            reported = _is_report(part)
    return tuple(chosen)


def read_notices(parts: Iterable[Part], octets: Mapping[str, bytes]) -> tuple[Notice, ...]:
    """Read the notices in the parts of `choose_notice_parts`.

    Args:
        parts: In order.
        octets: Content by part id, still transfer-encoded, each possibly cut.
            Parts that are not there are skipped.

    Returns:
        At most NOTICES_MAX, in order; one that says the same as another of the message is
        left out (invitations come as text/calendar and as a file, too).
    """
    notices: list[Notice] = []
    for part in parts:
        content = octets.get(part.part_id)
        if content is None:
            continue
        if part.is_calendar:
            notices += _read_calendar(part, content)
        elif _is_report(part):
            notices += _read_report(part, content)
        else:
            notices = _with_original(notices, part, content)
    return _bounded(notices)


def _is_report(part: Part) -> bool:
    return is_delivery_report(part) or is_read_receipt(part)


def _read_calendar(part: Part, content: bytes) -> list[Notice]:
    calendar = decode_calendar(content, part)
    described = [describe_item(item, calendar.method) for item in calendar.items[: NOTICES_MAX + 1]]
    return [
        Notice(kind=INVITATION, part_id=part.part_id, fields=fields, defects=calendar.defects)
        for fields in described or [{"method": calendar.method} if calendar.method else {}]
    ]


def _read_report(part: Part, content: bytes) -> list[Notice]:
    decoded = decode_transfer(content[: NOTICE_OCTETS_MAX * 2], part.encoding)
    octets = decoded.octets[:NOTICE_OCTETS_MAX]
    if is_read_receipt(part):
        fields, defects = read_receipt(octets)
        return [_report(READ_RECEIPT, part, fields, (*decoded.defects, *defects))]
    found, defects = read_delivery_report(octets)
    return [_report(DELIVERY_REPORT, part, each, (*decoded.defects, *defects)) for each in found or [{}]]


def _report(kind: str, part: Part, fields: Mapping[str, str], defects: tuple[str, ...]) -> Notice:
    return Notice(kind=kind, part_id=part.part_id, fields=fields, defects=defects)


def _with_original(notices: Sequence[Notice], part: Part, content: bytes) -> list[Notice]:
    """Add to the reports so far which message they are about."""
    original = read_original(decode_transfer(content[:NOTICE_OCTETS_MAX], part.encoding).octets)
    return [
        notice
        if notice.kind == INVITATION or "original_subject" in notice.fields
        else Notice(
            kind=notice.kind,
            part_id=notice.part_id,
            fields={**notice.fields, **{k: v for k, v in original.items() if k not in notice.fields}},
            defects=notice.defects,
        )
        for notice in notices
    ]


def _bounded(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    unique: dict[object, Notice] = {}
    for notice in notices:
        unique.setdefault((notice.kind, *notice.fields.items()), notice)
    kept = list(unique.values())[:NOTICES_MAX]
    if len(unique) > NOTICES_MAX:
        last = kept[-1]
        kept[-1] = Notice(
            kind=last.kind,
            part_id=last.part_id,
            fields=last.fields,
            defects=(*last.defects, TOO_MANY_NOTICES),
        )
    return tuple(kept)
