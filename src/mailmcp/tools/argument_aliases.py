"""What arguments are called elsewhere: in other mail tools, mail searches and APIs."""

from typing import Final

_USUAL: Final = {
    "account_id": "account account_name",
    "mailbox": "folder folder_name folder_id label mailbox_name mailbox_id",
    "mailboxes": "folders labels",
    "query": "q text search keywords search_query search_term search_text terms words criteria",
    "exclude": "not exclude_words without",
    "from": "sender from_address from_email from_name author",
    "to": "recipient recipients to_address to_email",
    "any_address": "address participant participants contact person",
    "gmail_query": "raw_query gmail_raw x_gm_raw",
    "unread_only": "unread is_unread unseen only_unread",
    "flagged": "starred is_starred is_flagged",
    "answered": "replied is_answered is_replied",
    "unanswered_only": "unanswered unreplied is_unanswered not_answered",
    "has_attachment": "attachments with_attachments include_attachments",
    "attachment_mode": "include_attachments attachments",
    "larger_than": "min_size larger",
    "smaller_than": "max_size smaller",
    "since": "after date_from from_date start since_date date_after received_after newer_than",
    "before": "until date_to to_date end before_date date_before received_before older_than",
    "last_days": "days last_n_days since_days",
    "sort": "order order_by sort_by sort_order",
    "limit": "max_results results count max page_size per_page top n max_messages",
    "snippet_max_chars": "snippet snippets snippet_length",
    "cursor": "page_token next_page_token next_cursor continuation page",
    "message_id": "id ids uid uids msg_id email_id message message_uri uri thread_id conversation_id",
    "header_message_id": "message_id rfc822_message_id",
    "part_id": "attachment_id attachment part part_number filename file_name section",
    "body_mode": "format body_format mode",
    "mode": "format",
    "body_offset": "offset",
    "text_offset": "offset",
    "body_max_chars": "max_chars max_length max_body_chars",
    "text_max_chars": "max_chars max_length",
    "max_chars": "body_max_chars max_length",
    "max_bytes": "max_chars max_length length",
    "include_headers": "headers",
}
"""By the name of ours; of several that a name may mean, the first one that the tool has."""

ARGUMENT_ALIASES: Final = tuple((name, ours) for ours, names in _USUAL.items() for name in names.split())
"""For errors that ask "Did you mean …?"."""
