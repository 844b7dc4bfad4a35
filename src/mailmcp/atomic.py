"""Files that are replaced as a whole: settings of ours and of hosts, and stored secrets."""

import os
import secrets
import stat
from codecs import BOM_UTF8
from pathlib import Path


def rewrite(path: Path, text: str) -> None:
    """Replace the text of a file, or create one that only its owner can read.

    A link stays one; the mode, the byte order mark and the line breaks of Windows stay, too.

    Raises:
        OSError: It can't be read or written, and is as it was.
    """
    real = path.resolve()
    old, mode = b"", 0o600
    if real.exists():
        old, mode = real.read_bytes(), stat.S_IMODE(real.stat().st_mode)
    write_atomically(real, match_style(text.encode(), old), mode=mode)


def match_style(octets: bytes, old: bytes) -> bytes:
    """Give UTF-8 with LF the byte order mark and the line breaks of Windows, if the old file has them."""
    mark = BOM_UTF8 if old.startswith(BOM_UTF8) else b""
    return mark + (octets.replace(b"\n", b"\r\n") if b"\r\n" in old else octets)


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
