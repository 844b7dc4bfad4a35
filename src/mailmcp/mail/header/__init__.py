"""Header fields to values: text, addresses, dates (RFC 5322, RFC 2047)."""
