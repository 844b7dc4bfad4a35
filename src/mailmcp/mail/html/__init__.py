"""HTML of mail: what a person would see of it, as text or as safe HTML; nothing is loaded or run."""
