"""Commands as words, and INBOX in any case."""

import pytest

from mailmcp.imap.command import Command, canonical_name


def test_a_command_is_its_words() -> None:
    assert Command(name="FETCH", arguments=[b"1", b"(UID)"], uid=True).words == [
        b"UID",
        b"FETCH",
        b"1",
        b"(UID)",
    ]
    assert Command(name="NOOP").words == [b"NOOP"]


@pytest.mark.parametrize(
    ("name", "canonical"), [("inbox", "INBOX"), ("InBox", "INBOX"), ("Inbox/a", "Inbox/a"), ("", "")]
)
def test_inbox_has_one_name(name: str, canonical: str) -> None:
    assert canonical_name(name) == canonical
