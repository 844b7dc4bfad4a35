"""Octets in, values out: headers, structure and text of messages. Pure; `read` is the front door."""
