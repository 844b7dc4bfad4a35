"""Calendar objects (RFC 5545) and invitations (RFC 5546)."""
