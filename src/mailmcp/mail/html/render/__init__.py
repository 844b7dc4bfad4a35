"""HTML to plain text."""
