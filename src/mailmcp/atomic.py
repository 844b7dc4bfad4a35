"""Files that are replaced as a whole: settings of ours and of hosts, and stored secrets."""

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, octets: bytes, *, mode: int) -> None:
    """Write a new file next to the old one and rename it: a crash leaves one of the two, whole.

    Args:
        path: Resolved by the caller, if a symbolic link is to stay one.
        octets: The content.
        mode: Of the new file, whatever the umask; nobody can read it with a wider one meanwhile.

    Raises:
        OSError: It can't be written. The old file, if any, is as it was.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        # O_BINARY, or Windows would turn each LF into CRLF.
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
