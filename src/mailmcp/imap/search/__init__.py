"""Searches that can be trusted: asked of the server, probed, and verified here."""
