"""The readers: a module for each kind of document, which `worker` loads.

`read(content, out)` writes the text, `draw(content, page)` returns a picture's facts and octets (b"" if there
is no such page), and `files(content, out)` returns the files within. All may raise: `UnreadableError` if it
is encrypted, too large or another format, `StopReading` when a limit is reached, and whatever their parsers
raise on a damaged file.
"""
