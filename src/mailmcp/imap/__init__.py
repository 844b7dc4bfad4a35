"""Talks to IMAP servers, on imaplib. The only layer with sockets."""
