"""Every ceiling of the server, each with its reason.

Octets are octets on the wire or as stored; characters are Unicode code points.
"""

from typing import Final

HTTP_BODY_OCTETS_MAX: Final = 1_048_576
"""Longest HTTP request body: arguments at their longest are a tenth of it."""

# Pages
PAGE_SIZE_DEFAULT: Final = 10
"""Messages on a page: ten rows of text stay near 600 tokens."""

PAGE_SIZE_MAX: Final = 100
"""Above it a reply no longer fits a model's attention, and a FETCH line grows past what servers accept."""

MAILBOX_PAGE_SIZE: Final = 200
"""Mailboxes on one page of imap_list_mailboxes."""

LAST_DAYS_MAX: Final = 365
"""Longer ranges are said with start_date and end_date."""

SNIPPET_CHARS_MIN: Final = 50
SNIPPET_CHARS_MAX: Final = 500
SNIPPET_OCTETS: Final = 4096
"""First octets of a message's text fetched for one snippet: MIME headers, a short style sheet
and 500 characters fit."""

ARGUMENT_CHARS_MAX: Final = 1_200
"""Characters of one argument: the id of a message in the longest mailbox; SEARCH lines stay under 8 KB."""

CURSOR_CHARS_MAX: Final = 50_000
"""Characters of a cursor: all criteria at their longest, percent-encoded."""

ROW_CHARS_MAX: Final = 200
"""Characters of a subject, and of the senders, in a listing; "…" ends what was cut. The message has all."""

# Messages
FIRST_OCTETS: Final = 131_072
"""What the first FETCH of a message brings: nine in ten messages are smaller, and need no second one."""

BODY_CHARS_DEFAULT: Final = 8_000
"""Characters of body text in a reply: about 2,000 tokens."""

BODY_CHARS_MAX: Final = 100_000
ATTACHMENT_TEXT_CHARS_DEFAULT: Final = 4_000
ATTACHMENT_TEXT_CHARS_MAX: Final = 50_000

TEXT_PART_OCTETS_MAX: Final = 524_288
"""Most octets fetched of one text part; what lies beyond is cut, and the reply says so."""

STRUCTURE_DEPTH_MAX: Final = 32
"""Nesting of MIME parts that is followed; deeper ones are a defect (and are never real mail)."""

STRUCTURE_PARTS_MAX: Final = 500
"""Parts of one message that are listed."""

HEADERS_OCTETS_MAX: Final = 65_536
"""Octets of header text that is read of one message."""

HEADER_CHARS_MAX: Final = 2_000
"""Characters of one header value in a reply."""

HTML_DEPTH_MAX: Final = 256
"""Nesting of HTML elements that is kept: parsers take quadratic time beyond, and no reader sees it."""

HTML_FORMATTING_MAX: Final = 8
"""Open bold, font and like elements: HTML copies all of them into each later paragraph (a small bomb)."""

HTML_TAG_CHARS_MAX: Final = 4_096
"""Longer tags keep the attributes that matter to a reader only (they are inlined images, or hostile)."""

LINK_CHARS_MAX: Final = 500
"""Longer link targets are shown as their host alone: they are tracking links, a few hundred tokens each."""

FILENAME_CHARS_MAX: Final = 255
"""What file systems take as one name."""

# IMAP
SESSIONS_PER_ACCOUNT: Final = 4
"""Open connections for one account: providers cap at 10 to 15 for all of a user's clients together."""

SESSION_IDLE_CHECK_S: Final = 30.0
"""After this much idleness a session is checked with NOOP before it is used."""

SESSION_IDLE_MAX_S: Final = 240.0
"""Idle sessions are closed after this long: NATs forget connections after about five minutes."""

SESSION_AGE_MAX_S: Final = 3_600.0
"""Sessions are replaced after this long, so that new credentials and routes take effect."""

CONNECT_TIMEOUT_S: Final = 15.0
COMMAND_TIMEOUT_S: Final = 30.0
CALL_TIMEOUT_S: Final = 60.0
"""One tool call, retries included; hosts give up after 60 s by default."""

RETRY_ATTEMPTS: Final = 3
"""Tries of one read over fresh connections, the first included."""

RETRY_WAIT_MAX_S: Final = 2.0

AUTH_BACKOFF_S: Final = 60.0
"""After a refused login no other is tried for this long: providers lock accounts."""

LITERAL_OCTETS_MAX: Final = 16_777_216
"""Longest literal that is read: nothing we ask for comes near it, so a larger one is a fault or an attack."""

SEARCH_WINDOW: Final = 80_000
"""Most UIDs asked about in one SEARCH: an answer line must stay under imaplib's 1,000,000 octets."""

UID_CACHE_ENTRIES: Final = 64
"""Recent search results kept to make the next page one round trip; a lost one costs a search."""

UID_CACHE_UIDS_MAX: Final = 1_000_000
"""UIDs kept in all of those results together: 8 MB as arrays."""
