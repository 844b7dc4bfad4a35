"""The reply envelope: outcomes, errors, meta, limits and their wire dialects. Pure."""
