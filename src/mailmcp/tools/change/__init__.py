"""imap_change_messages: read `arguments`, then `selection`, `change`, `plan`, `reply`."""
