"""What imap_get_message is made of: reading, detail, finding again what has moved."""
