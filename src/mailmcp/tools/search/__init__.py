"""What imap_search_messages is made of: arguments, sources, pages, coverage."""
