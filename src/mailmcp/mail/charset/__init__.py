"""Octets to characters, in any charset that mail has."""
