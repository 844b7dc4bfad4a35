"""The values an embedded mailbox is filled from."""

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from mailmcp.demo.mailbox import SampleMailbox, SampleMessage


def test_mailbox_is_empty_and_ordinary_unless_told_otherwise() -> None:
    mailbox = SampleMailbox(name="Receipts")
    assert (mailbox.special_use, mailbox.messages) == ("", ())


def test_messages_do_not_change() -> None:
    """Several servers may serve the same sample at once."""
    message = SampleMessage(octets=b"Subject: x\r\n\r\ny\r\n", internal_date=datetime(2026, 1, 2, tzinfo=UTC))
    with pytest.raises(FrozenInstanceError):
        message.octets = b""  # type: ignore[misc]  # the point of the test
