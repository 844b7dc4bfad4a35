"""Machine-readable reports: of deliveries (RFC 3464) and of what became of a message (RFC 8098).

Both are groups of fields in the syntax of header fields, parted by empty lines.
"""

import re
from collections.abc import Iterator
from typing import Final

from mailmcp.limits import NOTICES_MAX
from mailmcp.mail.clean import bounded_line
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.structure import Part

NO_RECIPIENT: Final = "delivery report without a recipient"
NO_DISPOSITION: Final = "read receipt without a disposition"
REPORT_CUT: Final = "report is too long and was cut"

_DELIVERY: Final = frozenset({"message/delivery-status", "message/global-delivery-status"})
_DISPOSITION: Final = frozenset(
    {"message/disposition-notification", "message/global-disposition-notification"}
)
_ORIGINAL: Final = frozenset(
    {
        "text/rfc822-headers",
        "text/rfc822-header",
        "message/global-headers",
        "message/rfc822",
        "message/global",
    }
)
_TYPED: Final = re.compile(r"^\s*[A-Za-z0-9-]{1,40}\s*;\s*")  # "rfc822; ann@a.example", "smtp; 550 No"
_BLANK_LINE: Final = re.compile(rb"(?:\r?\n|\r(?!\n))[ \t]*(?:\r?\n|\r(?!\n))")
_GROUPS_MAX: Final = NOTICES_MAX * 2  # some reports have empty groups


def is_delivery_report(part: Part) -> bool:
    """Tell whether a part reports deliveries."""
    return part.content_type in _DELIVERY


def is_read_receipt(part: Part) -> bool:
    """Tell whether a part reports what became of a message at its recipient."""
    return part.content_type in _DISPOSITION


def is_original(part: Part) -> bool:
    """Tell whether a part of a report can hold the header of the message reported on."""
    return part.content_type in _ORIGINAL


def read_delivery_report(octets: bytes) -> tuple[list[dict[str, str]], tuple[str, ...]]:
    """Read the recipients of a delivery report.

    Args:
        octets: Transfer encoding already taken off; may be cut.

    Returns:
        One dict a recipient, at most NOTICES_MAX: ``recipient``, ``action``,
        ``status``, ``diagnostic``, ``remote_mta``, ``reporting_mta``, those that
        are there; and defects.
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
        octets: Transfer encoding already taken off; may be cut.
    """
    group = next(_groups(octets), Headers())
    fields = {
        "original_message": group.get("original-message-id"),
        "recipient": _untyped(group.get("final-recipient") or group.get("original-recipient")),
        "disposition": group.get("disposition"),
        "failure": group.get("failure") or group.get("error"),
    }
    return _said(fields), () if fields["disposition"] else (NO_DISPOSITION,)


def read_original(octets: bytes) -> dict[str, str]:
    """Read the header of the message reported on: ``original_subject``, ``original_message``.

    Args:
        octets: Transfer encoding already taken off; a header block, or a message; may be cut.
    """
    headers = parse_headers(octets)
    return _said({"original_subject": headers.get("subject"), "original_message": headers.get("message-id")})


def _recipient(group: Headers, message: Headers | None) -> dict[str, str]:
    return _said(
        {
            "recipient": _untyped(group.get("final-recipient") or group.get("original-recipient")),
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


def _untyped(value: str) -> str:
    return _TYPED.sub("", value)


def _said(fields: dict[str, str]) -> dict[str, str]:
    lines = {key: bounded_line(value) for key, value in fields.items()}
    return {key: value for key, value in lines.items() if value}
