"""What has changed in mailboxes since a state: read `find`."""
