"""Sign-in by OAuth 2.0, and the stores that keep tokens and passwords."""
