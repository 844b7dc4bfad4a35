"""Bytes in, values out: headers, structure and text of messages; and their ids, URIs and cursors. Pure."""
