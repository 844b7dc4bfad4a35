"""Octets to characters."""
