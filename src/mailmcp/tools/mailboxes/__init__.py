"""imap_list_mailboxes."""
