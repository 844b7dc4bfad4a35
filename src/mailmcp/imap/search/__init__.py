"""Searching mailboxes. Read `run` first, then `mailbox_page`, `candidates` and `order`."""
