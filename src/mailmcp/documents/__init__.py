"""Text out of documents, in a process of its own."""
