"""imap_search_messages: arguments, sources, pages, coverage."""
