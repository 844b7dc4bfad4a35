"""Checks any reply against the rules of a dialect."""
