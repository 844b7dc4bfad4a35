"""The reply envelope: outcomes, errors, meta and their wire dialects. Pure."""
