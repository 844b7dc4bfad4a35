"""imap_get_message_raw."""
