"""Bytes in, values out: ids, cursors, headers, structure and text of messages. Pure."""
