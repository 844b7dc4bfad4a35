"""Names of the tools that replies suggest as the next call.

A tool can't import another one's module for its name: the imports would form a cycle.
"""

from typing import Final

LIST_ACCOUNTS: Final = "imap_list_accounts"
LIST_MAILBOXES: Final = "imap_list_mailboxes"
SEARCH_MESSAGES: Final = "imap_search_messages"
GET_MESSAGE: Final = "imap_get_message"
GET_THREAD: Final = "imap_get_thread"
GET_ATTACHMENT: Final = "imap_get_attachment"
GET_MESSAGE_RAW: Final = "imap_get_message_raw"
GET_CHANGES: Final = "imap_get_changes"
SAVE_DRAFT: Final = "imap_save_draft"
CHANGE_MESSAGES: Final = "imap_change_messages"
UNDO: Final = "imap_undo"
