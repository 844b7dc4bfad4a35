"""Text in HTML that a reader never sees (CSS and HTML)."""
