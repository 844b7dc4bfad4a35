"""imap_undo: read `plan`, then `tool`."""
