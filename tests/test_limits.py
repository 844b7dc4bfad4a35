"""Limits that depend on each other, or on a server's."""

from mailmcp import limits
from mailmcp.imap.client import LITERAL_OCTETS_MAX, RESPONSE_OCTETS_MAX
from mailmcp.model.cursor import Position, SearchCursor, format_search_cursor
from mailmcp.model.resource_uri import URI_CHARS_MAX

UID_DIGITS = 10


def test_a_page_of_uids_fits_the_command_line_of_dovecot() -> None:
    assert limits.PAGE_SIZE_MAX * (UID_DIGITS + 1) + 1_000 < 8_192


def test_the_longest_cursor_can_be_sent_back() -> None:
    longest = "\u65e5" * limits.ARGUMENT_CHARS_MAX
    cursor = SearchCursor(
        sources=(Position(account_id="a" * 64, mailbox=longest, uidvalidity=2**32 - 1, uid=2**32 - 1),),
        total=2**32 - 1,
        arguments=dict.fromkeys(["query", "from", "to", "subject"], longest[: limits.ARGUMENT_CHARS_MAX]),
    )
    assert len(format_search_cursor(cursor)) > limits.ARGUMENT_CHARS_MAX
    assert len(format_search_cursor(cursor)) < 60_000


def test_a_window_of_a_message_fits_one_response() -> None:
    assert limits.MESSAGE_WINDOW_OCTETS <= LITERAL_OCTETS_MAX <= RESPONSE_OCTETS_MAX
    assert limits.ATTACHMENT_CONTENT_OCTETS_MAX * 4 / 3 * 78 / 76 < limits.RAW_RESOURCE_OCTETS_MAX
    assert limits.ARGUMENT_CHARS_MAX * len("%F0%9F%91%8B") < URI_CHARS_MAX
