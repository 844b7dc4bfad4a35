"""Message-IDs are remembered for a while."""

from mailmcp.tools.message_id_cache import MessageIdCache


def test_listed_messages_are_remembered() -> None:
    known = MessageIdCache()
    known.remember("imap:home:INBOX:1:2", "a@b.example")
    known.remember("imap:home:INBOX:1:3", "")
    assert known.header_of("imap:home:INBOX:1:2") == "a@b.example"
    assert known.header_of("imap:home:INBOX:1:3") == ""
    assert known.header_of("imap:home:INBOX:1:4") == ""


def test_the_oldest_entries_are_dropped() -> None:
    known = MessageIdCache(entries=2)
    for number in (1, 2, 1, 3):
        known.remember(str(number), f"{number}@b.example")
    assert [known.header_of(str(number)) for number in (1, 2, 3)] == ["1@b.example", "", "3@b.example"]
