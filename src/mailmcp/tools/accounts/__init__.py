"""imap_list_accounts."""
