"""Talks to IMAP servers, on IMAPClient. The only layer with sockets."""
