"""The text of a message as a person reads it, and what of it is new."""
