"""Archives of tar, and single files compressed."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable, Iterable, Mapping
from typing import Final

COMPRESSIONS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "tar": lambda content: content,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def tarred(files: Iterable[tuple[str, bytes]], *links: tuple[str, str]) -> bytes:
    """Pack files by name, then symbolic links to targets, a folder and a device."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, target in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
        for name, kind in (("folder", tarfile.DIRTYPE), ("device", tarfile.CHRTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type = kind
            archive.addfile(entry)
    return out.getvalue()
