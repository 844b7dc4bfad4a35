"""Which parts of a message are its text, which are attachments, which are files to a person."""
