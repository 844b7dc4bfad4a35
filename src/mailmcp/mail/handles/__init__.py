"""What names a message or a place in a list: ids, URIs, cursors."""
