"""Limits that several rooms share, with their reasons; one with a single user stands at the top of its file.

Octets are counted on the wire or as stored. Characters are Unicode code points.
"""

from typing import Final

YEAR_FIRST: Final = 1900
YEAR_LAST: Final = 9998
"""No mail is older (RFC 5322 section 3.3) or newer, and any time between them converts to any time zone."""

# Arguments, cursors and URIs
ARGUMENT_CHARS_MAX: Final = 1_200
"""One argument: a message id in a mailbox with the longest name. SEARCH lines stay under 8 KB."""

CURSOR_CHARS_MAX: Final = 50_000
"""A cursor: all criteria at their longest, percent-encoded."""

# Listings
PAGE_SIZE_DEFAULT: Final = 10
"""Messages on a page: ten rows take about 600 tokens."""

PAGE_SIZE_MAX: Final = 100
"""More would exceed a model's attention and the FETCH line that servers accept."""

ROW_CHARS_MAX: Final = 200
"""A subject or the senders in a row; "…" marks a cut."""

ROW_FILES_MAX: Final = 5
"""Attachments named in a row."""

# Searches
SEARCH_SOURCES_MAX: Final = 200
"""Mailboxes in one call, over all accounts: ten bursts of twenty. Models miscopy longer cursors."""

SEARCH_DEADLINE_SHARE: Final = 0.75
"""Share of a call's time after which a silent account is given up if there are others."""

COVERAGE_NAMES_MAX: Final = 20
"""Mailboxes named in a list of a search's coverage; the others are counted."""

SEARCH_LISTED_MATCHES_MAX: Final = 1_000
"""If no more matches than this are left, they are found at once: 8 KB."""

# Messages

BODY_CHARS_DEFAULT: Final = 8_000
"""Body text in a reply: about 2,000 tokens."""

BODY_CHARS_MAX: Final = 100_000

TEXT_PART_OCTETS_MAX: Final = 524_288
"""Fetched of one text part; the reply says when it was cut."""

STRUCTURE_DEPTH_MAX: Final = 32
"""Nesting of MIME parts; no real mail goes deeper."""

STRUCTURE_PARTS_MAX: Final = 500
"""Parts of one message that are listed."""

HEADER_CHARS_MAX: Final = 2_000
"""One header value in a reply; addresses are never cut in the middle."""

CHARSET_GUESS_OCTETS: Final = 8_192
"""Text without a charset that is examined, from its first 8-bit octet on: about 2 ms."""

NOTICE_OCTETS_MAX: Final = 262_144
"""Read of one calendar object or report; real ones have 2 to 20 KB."""

NOTICE_CHARS_MAX: Final = 500
"""One value of a notice."""

LINK_CHARS_MAX: Final = 100
"""Longer link targets are shown as their host: they are tracking links of 100 tokens and more."""

RAW_RESOURCE_OCTETS_MAX: Final = 10_000_000
"""A message served as a resource: fits the largest attachment that is one, 7 MB as Base64."""

MESSAGE_WINDOW_OCTETS: Final = 2_097_152
"""Fetched at once of a whole message: nearly all take one round trip, the largest five."""

# Attachments
FILENAME_CHARS_MAX: Final = 255
"""What file systems accept as one name."""

PART_RANGE_OCTETS: Final = 1_048_576
"""Fetched of a part at once: most parts take one round trip, and larger ones can report progress."""

ATTACHMENT_CONTENT_OCTETS_MAX: Final = 5_000_000
"""A file in a reply: a third more as Base64, and hosts keep replies in memory."""

# Documents
EXTRACT_OCTETS_MAX: Final = 26_214_400
"""A document: what most providers accept as a whole message."""

EXTRACTED_CHARS_MAX: Final = 1_000_000
"""Text of one document: 400 pages. Replies show windows of it."""

EXTRACT_TIMEOUT_S: Final = 20.0
"""For one document; a page of a PDF takes about 20 ms. What was read by then is returned."""

EXTRACT_MEMORY_OCTETS: Final = 805_306_368
"""Address space of the process: 100 MB for Python, and four copies of the document."""

ARCHIVE_ENTRIES_MAX: Final = 10_000
"""Entries of a zipped document, or files listed of an archive: a presentation of 500 slides with pictures
has 3,000."""

ARCHIVE_TEXTS_OCTETS_MAX: Final = 4_000
"""Small text files of a zip that come with the list of its files: together no longer than the list itself."""

ARCHIVE_OCTETS_MAX: Final = 268_435_456
"""All entries unpacked: a spreadsheet with a million rows stays below."""

PICTURE_SIDE_MAX: Final = 1_568
"""Pixels on the longer side of a picture in a reply: models scale larger ones down."""

PICTURE_OCTETS_MAX: Final = 1_000_000
"""A picture in a reply: as PNG most screenshots, as JPEG any photo of that size."""

MAPI_PROPERTIES_MAX: Final = 20_000
"""Properties read of one Outlook message with its recipients and attachments: 100 a recipient."""

MAPI_DEPTH_MAX: Final = 3
"""Messages of Outlook's inside each other that are named."""

SHEET_COLUMNS_MAX: Final = 16_384
"""As in Excel and LibreOffice."""

# Conversations

# IMAP
SESSIONS_PER_ACCOUNT: Final = 4
"""Connections for one account: providers allow 10 to 15 for all of a user's programs together."""

CONNECT_TIMEOUT_S: Final = 15.0
COMMAND_TIMEOUT_S: Final = 30.0
CALL_TIMEOUT_S: Final = 60.0
"""For one tool call with its retries; hosts give up after 60 s by default."""

BURST_MAILBOXES: Final = 20
"""Mailboxes opened in one burst of commands."""

BURST_OCTETS: Final = 32_768
"""Commands in one burst: they fit any socket buffer, so that neither side waits for the other."""

WRITES_PER_CALL: Final = 500
"""Messages that one call changes: more is hardly what somebody meant, and the settings can allow it."""

WRITES_PER_HOUR: Final = 2_000
"""Messages that calls change within an hour: an agent that was talked into something stops there."""
