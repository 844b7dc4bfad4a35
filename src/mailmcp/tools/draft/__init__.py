"""imap_save_draft."""
