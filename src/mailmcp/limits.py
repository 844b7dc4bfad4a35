"""Every ceiling of the server, each with its reason.

Octets are octets on the wire or as stored; characters are Unicode code points.
"""

from typing import Final

YEAR_FIRST: Final = 1900
YEAR_LAST: Final = 9998
"""No mail is older (RFC 5322 section 3.3) or newer, and within them any zone can be applied to a time."""

HTTP_BODY_OCTETS_MAX: Final = 1_048_576
"""Longest HTTP request body: arguments at their longest are a tenth of it."""

HTTP_REQUEST_S: Final = 20.0
"""From a connection, or the last reply on it, to the end of its next request: the largest body at 50 KB/s."""

HTTP_CONNECTIONS_MAX: Final = 128
"""Open HTTP connections: half of the 256 file descriptors that macOS allows, so that some remain for IMAP."""

HTTP_GRACE_S: Final = 1
"""How long calls in flight may go on once the end is asked for; with closing, it all takes under 2 s."""

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

EVIDENCE_OCTETS: Final = 16_384
"""First octets of a message's text fetched to show where a search found its words: four screens of text,
or a page of HTML; a page of a hundred messages stays under 2 MB."""

EVIDENCE_WORDS_MAX: Final = 32
"""Words of a search that are looked for in what was fetched; nobody sends more."""

SEARCH_SOURCES_MAX: Final = 200
"""Mailboxes of all accounts searched in one call: ten bursts of twenty; longer cursors are miscopied."""

SEARCH_SOURCES_CHARS_MAX: Final = 25_000
"""Characters that those mailboxes take in a cursor: half of it, the criteria may have the rest."""

SEARCH_GROUP_MAILBOXES: Final = 5
"""Mailboxes that are worth a session of their own: they cost two round trips on one that is open, a login
costs five."""

SEARCH_DEADLINE_SHARE: Final = 0.75
"""Share of a call's time after which an account that does not answer is given up, where there are others:
the rest is for evidence and the reply."""

CLOSE_MAILBOXES_MAX: Final = 3
"""Mailboxes offered in place of one that is not there; more would be no guess."""

MAILBOX_CHARS_COMPARED: Final = 100
"""Of a name that is compared with those of all mailboxes: the work grows with its square."""

COVERAGE_NAMES_MAX: Final = 20
"""Mailboxes named in one list of a search's coverage; the others are counted."""

COVERAGE_CHARS_MAX: Final = 600
"""Characters of how a search was made, in a reply."""

THREAD_PEOPLE_MAX: Final = 5
"""Addresses of To and of Cc named for a message of a conversation; the others are counted."""

ROW_RECIPIENTS_MAX: Final = 2
"""Recipients named in a row of a message that the owner wrote; the others are counted."""

ROW_FILES_MAX: Final = 5
"""Attachments named in a row of a listing; the message has all."""

ROW_FILENAME_CHARS_MAX: Final = 60
"""Characters of such a name; the message has all."""

PLAIN_ONLY_CHARS_MAX: Final = 80
"""Characters of a line that is quoted since people do not see it: to tell an advertisement from an order."""

ROW_PLACES_MAX: Final = 5
"""Other places of one message named in its row: Gmail shows a message under each of its labels."""

ARGUMENT_CHARS_MAX: Final = 1_200
"""Characters of one argument: the id of a message in the longest mailbox; SEARCH lines stay under 8 KB."""

CURSOR_CHARS_MAX: Final = 50_000
"""Characters of a cursor: all criteria at their longest, percent-encoded."""

ROW_CHARS_MAX: Final = 200
"""Characters of a subject, and of the senders, in a listing; "…" ends what was cut. The message has all."""

ROW_HEADER_OCTETS: Final = 32_768
"""Octets of a header block that are looked through for the fields of a row, where the server finds none."""

KNOWN_IDS_MAX: Final = 5_000
"""Message-IDs of listed messages that are remembered: half a megabyte, and more than a session lists."""

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

HEADERS_OCTETS_MAX: Final = 1_048_576
"""Octets of a message's header block that are fetched: 20,000 recipients."""

HEADER_FIELD_OCTETS_MAX: Final = 262_144
"""Octets of one header field that are read: 5,000 recipients."""

HEADER_FIELDS_MAX: Final = 10_000
"""Fields of one header block that are read: real mail has up to 200."""

HEADER_CHARS_MAX: Final = 2_000
"""Characters of one header value in a reply; of addresses, as many whole ones as fit."""

HEADER_WHOLE_CHARS_MAX: Final = 20_000
"""Characters of one header value where every header is asked for: 400 recipients."""

CHARSET_GUESS_OCTETS: Final = 8_192
"""Octets of a text without a charset, from its first 8-bit one on, that tell which it is: about 2 ms."""

NOTICE_PARTS_MAX: Final = 4
"""Calendar objects and reports of one message that are read: real mail has one, or the same one twice."""

NOTICE_OCTETS_MAX: Final = 262_144
"""Octets of one calendar object or report that are read: a real one has 2 to 20 KB."""

NOTICES_MAX: Final = 20
"""Events and recipients of one message that are told: beyond, it is a list and no notice."""

NOTICE_CHARS_MAX: Final = 500
"""Characters of one value of a notice."""

ATTENDEES_MAX: Final = 20
"""Attendees of an event that are named; the others are counted."""

CALENDAR_EVENTS_MAX: Final = 200
"""Events of one calendar file that are written out as text."""

HTML_DEPTH_MAX: Final = 256
"""Nesting of HTML elements that is kept: parsers take quadratic time beyond, and no reader sees it."""

HTML_PENDING_MAX: Final = 8
"""Formatting elements that are opened again in the next block: sloppy mail leaves one or two open."""

HTML_REOPENED_MAX: Final = 20_000
"""Tags that are written again for that: each costs some 50 octets, and a long page has 2,000 paragraphs."""

HTML_FORMATTING_MAX: Final = 8
"""Open bold, font and like elements: HTML copies all of them into each later paragraph (a small bomb)."""

HTML_TAG_CHARS_MAX: Final = 4_096
"""Longer tags keep the attributes that matter to a reader only (they are inlined images, or hostile)."""

CSS_CHARS_MAX: Final = 80_000
"""Characters of style sheets that are read of one message: real ones are below 30,000, Gmail reads 16,000."""

CSS_SELECTORS_MAX: Final = 2_000
"""Selectors of one message that are matched: newsletters have some hundreds."""

CSS_COMPOUNDS_MAX: Final = 8
"""Compounds of one selector; longer ones match nothing. Real ones have three."""

CSS_MATCHES_MAX: Final = 200_000
"""Comparisons of an element with a selector, in one message: a quarter of a second at worst. Newsletters
need some hundreds."""

LINK_CHARS_MAX: Final = 100
"""Longer link targets are shown as their host alone: they are tracking links, 100 tokens each and more."""

RAW_OCTETS_DEFAULT: Final = 8_000
"""Octets of a stored message in a reply: 2,000 to 3,000 tokens, as a body has."""

RAW_OCTETS_MIN: Final = 100
"""Fewer might not hold one whole line, nor even one character."""

RAW_OCTETS_MAX: Final = 100_000
"""Octets in one reply: as many as characters of a body."""

RAW_RESOURCE_OCTETS_MAX: Final = 10_000_000
"""Longest message served as a resource: one with the largest attachment that is, 7 MB in Base64, fits."""

MESSAGE_WINDOW_OCTETS: Final = 2_097_152
"""Most of a whole message that is fetched at once: nearly all take one round trip, the largest five."""

URI_CHARS_MAX: Final = 15_000
"""Characters of a resource URI: the longest mailbox that a message id can hold, percent-encoded."""

ERROR_URI_CHARS_MAX: Final = 500
"""Characters of a resource URI that an error repeats: whole, but for the longest mailbox names."""

COMPLETIONS_MAX: Final = 100
"""Values in one answer to completion/complete; the protocol allows no more."""

MAILBOX_NAMES_TTL_S: Final = 60.0
"""How long a list of mailboxes serves for completion: one LIST for all keystrokes of an argument."""

COMBINING_MARKS_MAX: Final = 8
"""Marks kept on one character: pointed and chanted Hebrew has five; heaps of them cover the lines around."""

FILENAME_CHARS_MAX: Final = 255
"""What file systems take as one name."""

# Attachments
PART_RANGE_OCTETS: Final = 1_048_576
"""Octets of a part that one FETCH asks for: most parts take one round trip, and progress has steps."""

PART_TEXT_OCTETS_MAX: Final = 2_097_152
"""Octets fetched of an attached text, as stored: 40 windows at their longest; of more, logs are made."""

ATTACHMENTS_ALONG_MAX: Final = 10
"""Attachments of one message whose text is read along with it; others are had one by one."""

ATTACHMENT_ALONG_OCTETS_MAX: Final = 8_388_608
"""Larger ones, as stored, are not fetched along with their message: that takes its time, and progress."""

ATTACHMENT_CONTENT_OCTETS_MAX: Final = 5_000_000
"""Octets of a file in a reply: a third more as Base64, and hosts keep replies in memory."""

ATTACHMENT_SAVE_OCTETS_MAX: Final = 100_000_000
"""Octets of a file that is saved, as stored in the message: twice what the most generous providers accept."""

PARTS_NAMED_MAX: Final = 50
"""Parts that the error names where the one asked for is not there: hardly any message has more."""

SECTIONS_SHOWN_MAX: Final = 50
"""Pages, sheets or slides that a reply names."""

SAVED_NAME_OCTETS_MAX: Final = 255
"""Octets of UTF-8 in the name of a saved file: what file systems take."""

SAVED_NAMES_TRIED: Final = 1_000
"""Names tried for one file, " (2)" and so on: beyond, the folder needs tidying, not another name."""

# Documents
EXTRACT_OCTETS_MAX: Final = 26_214_400
"""Octets of a document that is read for its text: what most providers accept as a whole message."""

EXTRACTED_CHARS_MAX: Final = 1_000_000
"""Characters of text taken out of one document: 400 pages; replies show windows of it."""

EXTRACT_TIMEOUT_S: Final = 20.0
"""One document; a page of a PDF takes some 20 ms. What was read until then is given."""

EXTRACT_GRACE_S: Final = 3.0
"""How much longer its process may take to answer: start-up, and a step that cannot be broken off."""

EXTRACT_MEMORY_OCTETS: Final = 805_306_368
"""Address space of a process that reads a document: Python takes 100 MB; four copies of the content fit."""

EXTRACT_PROCESSES: Final = 2
"""Documents read at once; others wait."""

EXTRACT_CACHE_OCTETS: Final = 8_388_608
"""Texts kept so that the next window of a document does not read it again."""

ARCHIVE_ENTRIES_MAX: Final = 10_000
"""Entries of a zipped document: a presentation of 500 slides with pictures has 3,000."""

ARCHIVE_OCTETS_MAX: Final = 268_435_456
"""Octets of all entries unpacked that are read: a spreadsheet with a million rows stays below."""

XML_DEPTH_MAX: Final = 256
"""Nesting of elements in a document's XML; tables within tables reach 60."""

DOCUMENT_SECTIONS_MAX: Final = 5_000
"""Pages, sheets or slides of one document that are read."""

SHEET_COLUMNS_MAX: Final = 16_384
"""Columns of a spreadsheet, in Excel and LibreOffice."""

CELL_CHARS_MAX: Final = 32_767
"""Characters of one cell that are read, as in Excel."""

# Conversations
REFERENCES_MAX: Final = 50
"""Ids that are read of one message's References: the first and the latest; longer ones only repeat them."""

STRAY_REPLY_DAYS: Final = 30
"""A reply that refers to nothing is joined by its subject within so many days."""

THREAD_MESSAGES_MAX: Final = 200
"""Messages of one conversation that are found; the reply says when there are more."""

THREAD_PAGE_SIZE: Final = 50
"""Messages of one conversation in a reply: with more, each would show too little."""

THREAD_CHARS_DEFAULT: Final = 12_000
"""Characters of all texts together in a reply: about 3,000 tokens."""

THREAD_CHARS_MIN: Final = 500
THREAD_CHARS_MAX: Final = 100_000
THREAD_MESSAGE_CHARS: Final = 200
"""What each message shows at least, if it has as much; a smaller budget holds fewer messages a page."""

THREAD_TEXT_OCTETS: Final = 32_768
"""First octets of each text that are fetched for a conversation: enough for any share of the budget."""

THREAD_ROUNDS_MAX: Final = 8
"""Searches for the messages that those found refer to, each with the ids that are new."""

THREAD_KEYS_OCTETS: Final = 6_000
"""Octets of the keys of one SEARCH for ids: some servers take lines of 8 KB at most."""

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

LOAD_DELAY_S: Final = 0.1
"""From the list of tools to loading what calls need, if none comes before: a host asks for more lists in a
row, and waits for them."""

RETRY_ATTEMPTS: Final = 3
"""Tries of one read over fresh connections, the first included."""

RETRY_WAIT_MAX_S: Final = 2.0

AUTH_BACKOFF_S: Final = 60.0
"""After a login that was refused or not answered, none is tried for this long: providers lock accounts."""

LEARNED_LIMIT_S: Final = 600.0
"""How long a server's limit of connections is remembered: another program may have left some by then, and one
login that is refused every ten minutes harms nobody."""

LITERAL_OCTETS_MAX: Final = 16_777_216
"""Longest literal that is read: nothing we ask for comes near it, so a larger one is a fault or an attack."""

ANSWER_OCTETS_MAX: Final = 67_108_864
"""Octets held of the answer to one command, or one burst of them: four of the longest literals. A search that
finds a million messages takes 7 MB; more than this is a fault or an attack."""

SEARCH_WINDOW: Final = 80_000
"""Most UIDs asked about in one SEARCH of a mailbox that is known to be huge: its answer takes a megabyte at
most, so that a search of many mailboxes in one burst stays within ANSWER_OCTETS_MAX."""

SEARCH_UIDS_MAX: Final = 2_000_000
"""Longest result that is written out of ranges: 72 MB while it is read. Twice the largest mailbox tried."""

SEARCH_ROUNDS_MAX: Final = 20
"""Searches after each other for one result, where a server looks at so many messages at a time (RFC 9738)."""

ORDER_SAMPLE_MESSAGES: Final = 20
"""Messages beyond a page whose times tell whether UIDs go by arrival: some 60 octets each."""

ORDER_SLACK_S: Final = 600
"""Seconds by which a message may seem older than one before it: deliveries overtake each other."""

SORT_CANDIDATES_MAX: Final = 5_000
"""Messages put in order by ourselves where the server cannot: some 60 octets each, 300 KB."""

VERIFY_CANDIDATES_MAX: Final = 5_000
"""Messages that one call looks at by flags, size or time: some 60 octets each, 300 KB."""

VERIFY_DEAR_CANDIDATES_MAX: Final = 1_000
"""The same by header fields or structure: some 500 octets each, and the server opens each message."""

SIFT_CANDIDATES_MAX: Final = 300
"""Messages whose times come along with the first page of a search by time: 18 KB for an exact total."""

VERIFY_CHUNKS: Final = (100, 400, 1_000)
"""Messages in the first, the second and each further FETCH of a verification: matches are often near."""

BURST_MAILBOXES: Final = 20
"""Mailboxes opened in one burst of commands."""

BURST_OCTETS: Final = 32_768
"""Octets of commands in one burst: they fit any socket buffer, so that neither side waits for the other."""

SEQUENCE_SET_OCTETS: Final = 6_000
"""Longest list of UIDs in one command: Dovecot and others refuse lines over 8 KB."""

PROBE_MESSAGES: Final = 10
"""Messages that tell whether a server's search is right: a few odd ones among them do not decide."""

PROBE_WHOLE_MAILBOX_MAX: Final = 2_000
"""In mailboxes with more, probes ask about some messages alone: a search through all may take minutes."""

PROBE_TEXT_OCTETS: Final = 400
"""Octets of the text of each of those messages: some words, of which one is searched for."""

VIEW_SLACK_MESSAGES: Final = 5
"""Messages that may be missing from what a mailbox shows before it is said to hide some: mail comes and goes
between two answers, and an index may have lost a message."""

FLAGS_LOOKED_AT: Final = 20
"""Newest messages whose flags are looked at where a server found none by flags: some 40 octets each."""

VERDICT_AGE_MAX_S: Final = 3_600.0
"""What was concluded of a server counts for this long and is then found out anew: a fault may pass, and a
program that runs for weeks outlives the server's upgrades. A probe an hour costs five round trips at most."""

PROBE_RUNS_MAX: Final = 3
"""Mailboxes that are tried for something to probe with, if the first ones have nothing."""

UID_CACHE_ENTRIES: Final = 64
"""Recent search results kept to make the next page one round trip; a lost one costs a search."""

UID_CACHE_UIDS_MAX: Final = 1_000_000
"""UIDs kept in all of those results together: 8 MB as arrays."""
