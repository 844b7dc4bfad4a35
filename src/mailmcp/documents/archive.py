"""Zipped documents: their entries, within limits on number and size.

Sizes are those in the directory. `zipfile` never returns more of an entry than its declared size, so an entry
that lies ends early, with a failed checksum.
"""

import posixpath
import zipfile
from collections.abc import Collection, Iterator
from typing import BinaryIO

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_elements import Element, read_elements


class Archive:
    """An opened zip of XML parts."""

    def __init__(self, stream: BinaryIO, out: Writer) -> None:
        """Read the directory; `out` checks the time.

        Raises:
            UnreadableError: There are too many entries.
            zipfile.BadZipFile: It is not a zip.
        """
        self._zip = zipfile.ZipFile(stream)
        self._out = out
        entries = self._zip.infolist()
        if len(entries) > limits.ARCHIVE_ENTRIES_MAX:
            raise UnreadableError(Cause.TOO_LARGE)
        self._left = limits.ARCHIVE_OCTETS_MAX
        self._names = {entry.filename: entry for entry in entries}

    def elements(self, name: str, whole: Collection[str] = ()) -> Iterator[Element]:
        """Parse one entry as `read_elements` does; one that is missing has no elements.

        Raises:
            UnreadableError: It is encrypted, or too large together with those read before it.
        """
        entry = self._names.get(name)
        if entry is None:
            return
        if entry.flag_bits & 1:
            raise UnreadableError(Cause.ENCRYPTED)
        self._left -= entry.file_size
        if self._left < 0:
            raise UnreadableError(Cause.TOO_LARGE)
        with self._zip.open(entry) as stream:
            yield from read_elements(stream, whole, self._out.check_time)

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Read the relationships of a part (ECMA-376 part 2, clause 8): kind and entry, by id.

        Targets outside the document, such as links, are returned as written.
        """
        folder, _, base = name.rpartition("/")
        found = {}
        for each in self.elements(f"{folder}/_rels/{base}.rels".lstrip("/")):
            if each.name == "Relationship":
                target, kind = each.get("Target"), each.get("Type").rpartition("/")[2]
                if each.get("TargetMode") != "External":
                    target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[each.get("Id")] = (kind, target)
        return found

    def main_part(self) -> str:
        """Return the entry of the document itself.

        Raises:
            UnreadableError: There is none.
        """
        for kind, path in self.relations("").values():
            if kind == "officeDocument" and path in self._names:
                return path
        raise UnreadableError(Cause.MALFORMED)
