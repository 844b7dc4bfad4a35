"""The embedded mailbox: sample messages and the IMAP server that holds them."""
