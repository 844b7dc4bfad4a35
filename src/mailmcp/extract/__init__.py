"""Text out of documents, in a process of its own that cannot hurt the server."""
