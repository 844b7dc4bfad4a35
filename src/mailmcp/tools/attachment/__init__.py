"""imap_get_attachment."""
