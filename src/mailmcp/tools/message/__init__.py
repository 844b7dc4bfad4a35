"""imap_get_message."""
