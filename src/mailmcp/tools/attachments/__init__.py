"""What is done with attachments: listed, read, given as files, saved."""
