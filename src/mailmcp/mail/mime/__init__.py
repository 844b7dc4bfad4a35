"""Octets of a message to its parts, and the octets of each part (RFC 2045, RFC 2046)."""
