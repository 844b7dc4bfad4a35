"""What imap_get_thread is made of: finding a conversation, its texts, one budget for them."""
