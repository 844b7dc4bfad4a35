"""imap_get_thread: find a conversation, read its texts, and share one budget among them."""
