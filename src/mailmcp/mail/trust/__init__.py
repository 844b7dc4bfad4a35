"""Who wrote a message, where its links lead, and what is suspicious about either."""
