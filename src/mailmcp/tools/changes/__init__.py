"""imap_get_changes."""
