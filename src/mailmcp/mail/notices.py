"""Notices: what programs say in a part of a message, in a few fields.

Invitations (`mailmcp.mail.calendar.invitation`), delivery reports (RFC 3464) and read receipts
(RFC 8098). Reports are groups of fields in the syntax of header fields, separated by empty lines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from itertools import islice
from typing import Final

from mailmcp.limits import NOTICE_CHARS_MAX, NOTICE_OCTETS_MAX, TEXT_PART_OCTETS_MAX
from mailmcp.mail.calendar.invitation import decode_calendar, describe_item
from mailmcp.mail.calendar.meeting import is_winmail
from mailmcp.mail.clean import bounded_line, clean_line, cut_start
from mailmcp.mail.header.address import is_seen_whole
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.structure import MESSAGE_TYPES, Part, leaf_parts
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.people import quote_address

NOTICE_PARTS_MAX: Final = 4
"""Calendar objects and reports read of one message; real mail has one, or the same one twice."""

NOTICES_MAX: Final = 20
"""Events or recipients reported of one message; with more it is a list, not a notice."""

INVITATION: Final = "invitation"
DELIVERY_REPORT: Final = "delivery_report"
READ_RECEIPT: Final = "read_receipt"
TOO_MANY_NOTICES: Final = "too many events or recipients: not all are shown"

NO_RECIPIENT: Final = "delivery report without a recipient"
NO_DISPOSITION: Final = "read receipt without a disposition"
REPORT_CUT: Final = "report is too long and was cut"

_DELIVERY: Final = frozenset({"message/delivery-status", "message/global-delivery-status"})
_DISPOSITION: Final = frozenset(
    {"message/disposition-notification", "message/global-disposition-notification"}
)
_REPORTS: Final = _DELIVERY | _DISPOSITION
_ORIGINAL: Final = MESSAGE_TYPES | {"text/rfc822-headers", "text/rfc822-header", "message/global-headers"}
_TYPED: Final = re.compile("^ *[A-Za-z0-9-]{1,40} *; *")  # "rfc822; ann@a.example", "smtp; 550 No"
_BLANK_LINE: Final = re.compile(rb"(?:\r?\n|\r(?!\n))[ \t]*(?:\r?\n|\r(?!\n))")
_GROUPS_MAX: Final = NOTICES_MAX * 2  # some reports have empty groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One event, or one recipient of a report."""

    kind: str
    """"invitation", "delivery_report" or "read_receipt"."""

    part_id: str
    """The part it was read from."""

    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """In reading order; values are one clean line of at most NOTICE_CHARS_MAX characters, never empty."""

    defects: tuple[str, ...] = ()


def choose_notice_parts(root: Part | None) -> tuple[Part, ...]:
    """Choose the parts that notices are read from, by the structure alone.

    Returns:
        Calendar objects, winmail.dat and reports up to TEXT_PART_OCTETS_MAX, at most NOTICE_PARTS_MAX,
        in order. After a report also the original message, if it is small. Parts of attached messages
        are not considered.
    """
    chosen: list[Part] = []
    notices = 0
    reported = False
    for part in leaf_parts(root):
        if part.size_octets > TEXT_PART_OCTETS_MAX:
            continue
        is_report = part.content_type in _REPORTS
        if reported and part.content_type in _ORIGINAL:
            chosen.append(part)
            reported = False
        elif notices < NOTICE_PARTS_MAX and (_may_be_calendar(part) or is_report):
            chosen.append(part)
            notices += 1
            reported = is_report
    return tuple(chosen)


def delivery_report_part(root: Part | None) -> Part | None:
    """Return the part that says what became of a message, of a delivery report; None for other mail."""
    return next((part for part in leaf_parts(root) if part.content_type in _DELIVERY), None)


def failed_recipients(octets: bytes, part: Part) -> tuple[str, ...]:
    """Return the recipients whose mail came back, by a `delivery_report_part`; still transfer-encoded."""
    found, _ = read_delivery_report(decode_transfer(octets, part.encoding).octets)
    failed = (each["recipient"] for each in found if each.get("action") == "failed" and "recipient" in each)
    return tuple(dict.fromkeys(failed))


def leaves_out_notices(root: Part | None) -> bool:
    """Return whether there are more calendar objects and reports than `choose_notice_parts` chooses."""
    found = (part for part in leaf_parts(root) if _may_be_calendar(part) or part.content_type in _REPORTS)
    return len(list(islice(found, NOTICE_PARTS_MAX + 1))) > NOTICE_PARTS_MAX


def read_notices(
    parts: Iterable[Part], octets: Mapping[str, bytes], *, zone: tzinfo | None = None
) -> tuple[Notice, ...]:
    """Read the notices in the parts of `choose_notice_parts`.

    Args:
        parts: In order.
        octets: Content by part id, still transfer-encoded, each possibly cut. Missing parts are skipped.
        zone: The reader's, for the times of invitations; None leaves them as they were written.

    Returns:
        At most NOTICES_MAX, in order, without repetitions: invitations come as text/calendar and
        as a file too.
    """
    notices: list[Notice] = []
    for part in parts:
        content = octets.get(part.part_id)
        if content is None:
            continue
        if _may_be_calendar(part):
            notices += _read_calendar(part, content, zone)
        elif part.content_type in _REPORTS:
            notices += _read_report(part, content)
        else:
            notices = _with_original(notices, part, content)
    unique: dict[object, Notice] = {}
    for notice in notices:
        unique.setdefault((notice.kind, *notice.fields.items()), notice)
    kept = list(unique.values())[:NOTICES_MAX]
    if len(unique) > NOTICES_MAX:
        kept[-1] = replace(kept[-1], defects=(*kept[-1].defects, TOO_MANY_NOTICES))
    return tuple(kept)


def _may_be_calendar(part: Part) -> bool:
    return part.is_calendar or is_winmail(part)


def _read_calendar(part: Part, content: bytes, zone: tzinfo | None) -> list[Notice]:
    calendar = decode_calendar(content, part)
    if is_winmail(part) and not calendar.items:
        return []  # another message
    described = [describe_item(item, calendar.method, zone) for item in calendar.items[: NOTICES_MAX + 1]]
    return [
        Notice(kind=INVITATION, part_id=part.part_id, fields=fields, defects=calendar.defects)
        for fields in described or [{"method": calendar.method} if calendar.method else {}]
    ]


def _read_report(part: Part, content: bytes) -> list[Notice]:
    decoded = decode_transfer(content[: NOTICE_OCTETS_MAX * 2], part.encoding)
    octets = decoded.octets[:NOTICE_OCTETS_MAX]
    if part.content_type in _DISPOSITION:
        kind = READ_RECEIPT
        receipt, defects = read_receipt(octets)
        found = [receipt]
    else:
        kind = DELIVERY_REPORT
        found, defects = read_delivery_report(octets)
    defects = (*decoded.defects, *defects)
    return [Notice(kind=kind, part_id=part.part_id, fields=each, defects=defects) for each in found or [{}]]


def _with_original(notices: Sequence[Notice], part: Part, content: bytes) -> list[Notice]:
    """Add to the reports so far which message they are about."""
    original = read_original(decode_transfer(content[:NOTICE_OCTETS_MAX], part.encoding).octets)
    return [
        notice
        if notice.kind == INVITATION or "original_subject" in notice.fields
        else replace(notice, fields={**notice.fields, **original, **notice.fields})
        for notice in notices
    ]


def read_delivery_report(octets: bytes) -> tuple[list[dict[str, str]], tuple[str, ...]]:
    """Read the recipients of a delivery report.

    Args:
        octets: Transfer encoding already removed; may be cut.

    Returns:
        A dict for each recipient, at most NOTICES_MAX, with those fields that are present; and defects.
    """
    message: Headers | None = None
    found: list[dict[str, str]] = []
    defects: list[str] = []
    for group in _groups(octets):
        if not group.get("final-recipient") and not group.get("original-recipient"):
            message = message or group
            continue
        if len(found) >= NOTICES_MAX:
            defects.append(REPORT_CUT)
            break
        found.append(_recipient(group, message))
    if not found:
        defects.append(NO_RECIPIENT)
    return found, tuple(defects)


def read_receipt(octets: bytes) -> tuple[dict[str, str], tuple[str, ...]]:
    """Read a disposition notification: ``original_message``, ``recipient``, ``disposition``; and defects.

    Args:
        octets: Transfer encoding already removed; may be cut.
    """
    group = next(_groups(octets), Headers())
    fields = {
        "original_message": group.get("original-message-id"),
        "recipient": _recipient_address(group),
        "disposition": group.get("disposition"),
        "failure": group.get("failure") or group.get("error"),
    }
    return _filled(fields), () if fields["disposition"] else (NO_DISPOSITION,)


def read_original(octets: bytes) -> dict[str, str]:
    """Read the header of the original message: ``original_subject``, ``original_message``.

    Args:
        octets: A header block or a message, transfer encoding already removed; may be cut.
    """
    headers = parse_headers(octets)
    return _filled(
        {"original_subject": headers.get("subject"), "original_message": headers.get("message-id")}
    )


def _recipient(group: Headers, message: Headers | None) -> dict[str, str]:
    return _filled(
        {
            "recipient": _recipient_address(group),
            "action": group.get("action").lower(),
            "status": group.get("status"),
            "diagnostic": _untyped(group.get("diagnostic-code")),
            "remote_mta": _untyped(group.get("remote-mta")),
            "will_retry_until": group.get("will-retry-until"),
            "reporting_mta": _untyped(message.get("reporting-mta")) if message else "",
        }
    )


def _groups(octets: bytes) -> Iterator[Headers]:
    """Yield the groups of fields, at most _GROUPS_MAX; empty ones are skipped."""
    for piece in _BLANK_LINE.split(octets, maxsplit=_GROUPS_MAX)[:_GROUPS_MAX]:
        group = parse_headers(piece.lstrip(b"\r\n"))
        if group.fields:
            yield group


def _recipient_address(group: Headers) -> str:
    address = _untyped(group.get("final-recipient") or group.get("original-recipient"))
    if not is_seen_whole(address):
        return quote_address(address)
    return cut_start(clean_line(address).text, NOTICE_CHARS_MAX)


def _untyped(value: str) -> str:
    return _TYPED.sub("", value)


def _filled(fields: dict[str, str]) -> dict[str, str]:
    lines = {key: bounded_line(value) for key, value in fields.items()}
    return {key: value for key, value in lines.items() if value}
