"""HTML of mail as a person would read it, as text or as harmless HTML."""
