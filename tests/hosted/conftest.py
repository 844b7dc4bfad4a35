"""An organisation with a Dovecot, and two of its people with a secret word each."""

import os
from collections.abc import Iterator

import pytest

from auth.conftest import secrets_file
from hosted.organisation import MASTER, Organisation
from servers.dovecot import Dovecot, find_dovecot

__all__ = ["secrets_file"]
"""Secrets go to a file of the test's own."""

SECRETS = {"ann@example.com": "heron", "bob@example.com": "otter"}
"""What only the owner of a mailbox may see."""


@pytest.fixture(scope="module")
def organisation() -> Iterator[Organisation]:
    with Organisation() as server:
        yield server


@pytest.fixture(scope="module")
def mail_server(organisation: Organisation) -> Iterator[Dovecot]:
    if find_dovecot() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Dovecot is not installed, and CI must have it")
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    with Dovecot(token_issuer=organisation.issuer, extra=MASTER) as server:
        for user, secret in SECRETS.items():
            texts = [
                f"From: x@example.com\r\nTo: {user}\r\nSubject: {secret} {number}\r\n\r\nText {secret}\r\n"
                for number in range(5)
            ]
            server.fill(user, "INBOX", [each.encode() for each in texts])
        yield server
