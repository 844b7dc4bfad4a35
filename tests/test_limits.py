"""The ceilings fit together: one that is changed alone may break what another stands for."""

from mailmcp import limits
from mailmcp.model.cursor import SearchCursor, SourceCursor, format_search_cursor

UID_DIGITS = 10


def test_a_page_of_uids_fits_the_command_line_of_dovecot() -> None:
    assert limits.PAGE_SIZE_MAX * (UID_DIGITS + 1) + 1_000 < 8_192


def test_the_longest_cursor_can_be_sent_back() -> None:
    longest = "\u65e5" * limits.ARGUMENT_CHARS_MAX
    cursor = SearchCursor(
        sources=(SourceCursor(account_id="a" * 64, mailbox=longest, uidvalidity=2**32 - 1, uid=2**32 - 1),),
        total=2**32 - 1,
        page_size=100,
        criteria=dict.fromkeys("qfts", longest[: limits.ARGUMENT_CHARS_MAX]),
    )
    assert len(format_search_cursor(cursor)) > limits.ARGUMENT_CHARS_MAX
    assert len(format_search_cursor(cursor)) < 60_000


def test_defaults_lie_within_their_bounds() -> None:
    assert 1 <= limits.PAGE_SIZE_DEFAULT <= limits.PAGE_SIZE_MAX
    assert limits.BODY_CHARS_DEFAULT <= limits.BODY_CHARS_MAX
    assert limits.ATTACHMENT_TEXT_CHARS_DEFAULT <= limits.ATTACHMENT_TEXT_CHARS_MAX
    assert limits.SNIPPET_CHARS_MIN <= limits.SNIPPET_CHARS_MAX
    assert limits.SESSION_IDLE_CHECK_S < limits.SESSION_IDLE_MAX_S < limits.SESSION_AGE_MAX_S
    assert limits.CONNECT_TIMEOUT_S < limits.CALL_TIMEOUT_S
    assert limits.COMMAND_TIMEOUT_S < limits.CALL_TIMEOUT_S


def test_windows_of_a_message_fit_what_is_read_and_replied() -> None:
    assert limits.RAW_OCTETS_MIN <= limits.RAW_OCTETS_DEFAULT <= limits.RAW_OCTETS_MAX
    assert limits.MESSAGE_WINDOW_OCTETS <= limits.LITERAL_OCTETS_MAX <= limits.RESPONSE_OCTETS_MAX
    assert limits.ATTACHMENT_CONTENT_OCTETS_MAX * 4 / 3 * 78 / 76 < limits.RAW_RESOURCE_OCTETS_MAX
    assert limits.ARGUMENT_CHARS_MAX * len("%F0%9F%91%8B") < limits.URI_CHARS_MAX
