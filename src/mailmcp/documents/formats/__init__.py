"""One module for each document format."""
