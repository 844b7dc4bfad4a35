"""Hosts that can start mailmcp: where their settings are, and how an entry is added and removed."""
