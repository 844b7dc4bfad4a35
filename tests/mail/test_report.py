import pytest

from mailmcp.mail.notices import (
    NO_DISPOSITION,
    NO_RECIPIENT,
    NOTICES_MAX,
    REPORT_CUT,
    read_delivery_report,
    read_receipt,
)

TWO = b"""Reporting-MTA: dns; mx.example
Arrival-Date: Thu, 5 Nov 2026 09:30:00 +0100

Original-Recipient: rfc822;ann@x.example
Action: Delayed
Status: 4.4.1
Remote-MTA: dns; mx.x.example
Diagnostic-Code: smtp; 451 later,
  much later

Final-Recipient: utf-8; b\xc3\xb6rge@x.example
Action: failed
"""


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n", b"\r"])
def test_each_recipient_is_listed(line_end: bytes) -> None:
    found, defects = read_delivery_report(TWO.replace(b"\n", line_end))
    assert defects == ()
    assert found == [
        {
            "recipient": "ann@x.example",
            "action": "delayed",
            "status": "4.4.1",
            "diagnostic": "451 later, much later",
            "remote_mta": "mx.x.example",
            "reporting_mta": "mx.example",
        },
        {"recipient": "börge@x.example", "action": "failed", "reporting_mta": "mx.example"},
    ]


def test_a_report_without_recipients_says_so() -> None:
    assert read_delivery_report(b"Reporting-MTA: dns; mx\r\n\r\nX: y") == ([], (NO_RECIPIENT,))
    assert read_delivery_report(b"") == ([], (NO_RECIPIENT,))


def test_there_is_an_end_to_recipients() -> None:
    found, defects = read_delivery_report(b"Final-Recipient: rfc822;a@b\n\n" * (NOTICES_MAX + 1))
    assert (len(found), defects) == (NOTICES_MAX, (REPORT_CUT,))


def test_a_receipt_is_read() -> None:
    fields, defects = read_receipt(
        b"Original-Message-ID: <a@b>\nFinal-Recipient: rfc822;c@d\n"
        b"Disposition: manual-action/x; displayed\nError: no\n"
    )
    assert defects == ()
    assert fields == {
        "original_message": "<a@b>",
        "recipient": "c@d",
        "disposition": "manual-action/x; displayed",
        "failure": "no",
    }
    assert read_receipt(b"") == ({}, (NO_DISPOSITION,))


def test_a_long_recipient_keeps_its_domain() -> None:
    report = f"Final-Recipient: rfc822; {'x' * 480}@corp.example.evil.example\r\nAction: failed\r\n".encode()
    (recipient,), _ = read_delivery_report(report)
    assert recipient["recipient"].startswith("…x")
    assert recipient["recipient"].endswith("@corp.example.evil.example")
