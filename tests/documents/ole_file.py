"""OLE files ([MS-CFB]) written sector by sector, and messages of Outlook's in them ([MS-OXMSG])."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_SECTOR: Final = 512
_CUTOFF: Final = 4_096
_FREE: Final = 0xFFFFFFFF
_END: Final = 0xFFFFFFFE
_FAT: Final = 0xFFFFFFFD

Tree = Mapping[str, "bytes | Tree"]


@dataclass(slots=True)
class _Entry:
    name: str
    kind: int
    start: int = _END
    size: int = 0
    child: int = _FREE
    right: int = _FREE

    def packed(self) -> bytes:
        name = self.name.encode("utf-16-le") + b"\0\0"
        place = self.right, self.child, self.start, self.size
        return struct.pack("<64sHBBIII36xIQ", name, len(name), self.kind, 1, _FREE, *place)


@dataclass(slots=True)
class _Sectors:
    """Sectors of one size, and the table of what follows each."""

    size: int
    octets: bytearray = field(default_factory=bytearray)
    following: list[int] = field(default_factory=list)

    def store(self, content: bytes) -> int:
        start, count = len(self.following), -(-len(content) // self.size)
        self.octets += content.ljust(count * self.size, b"\0")
        self.following += [*range(start + 1, start + count), _END][:count]
        return start if content else _END

    def table(self, *more: int) -> bytes:
        numbers = [*self.following, *more]
        return struct.pack(f"<{len(numbers)}I", *numbers).ljust(_SECTOR, b"\xff")


def _add(tree: Tree, entries: list[_Entry], large: _Sectors, small: _Sectors) -> int:
    """Add the entries of a storage as a chain of right siblings, and return the first."""
    first = _FREE
    for name in sorted(tree, key=lambda each: (len(each), each.upper()), reverse=True):
        content = tree[name]
        entry = _Entry(name, 2 if isinstance(content, bytes) else 1, right=first)
        first = len(entries)
        entries.append(entry)
        if isinstance(content, bytes):
            sectors = large if len(content) >= _CUTOFF else small
            entry.start, entry.size = sectors.store(content), len(content)
        else:
            entry.child = _add(content, entries, large, small)
    return first


def ole_file(tree: Tree) -> bytes:
    """Write streams and storages as an OLE file of version 3; each table has one sector."""
    large, small = _Sectors(_SECTOR), _Sectors(64)
    root = _Entry("Root Entry", 5)
    entries = [root]
    root.child = _add(tree, entries, large, small)
    root.start, root.size = large.store(bytes(small.octets)), len(small.octets)
    small_table = large.store(small.table())
    directory = large.store(b"".join(each.packed() for each in entries))
    fat = len(large.following)
    assert fat < _SECTOR // 4
    assert len(small.following) <= _SECTOR // 4
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    numbers = 0, 1, directory, 0, _CUTOFF, small_table, 1, _END, 0
    header += struct.pack("<5H6x9I", 0x3E, 3, 0xFFFE, 9, 6, *numbers)
    header += struct.pack("<109I", fat, *[_FREE] * 108)
    return header + bytes(large.octets) + large.table(_FAT)


def storage(
    properties: Mapping[int, "str | bytes | int"], *, header: int, charset: str = ""
) -> dict[str, bytes]:
    """Write properties as streams and a table; strings are in UTF-16 unless there is a charset."""
    streams: dict[str, bytes] = {}
    table = bytearray(header)
    for tag, value in properties.items():
        if isinstance(value, int):
            kind = 0x0040 if value > 0xFFFFFFFF else 0x0003
            table += struct.pack("<HHIQ", kind, tag, 6, value)
            continue
        kind = 0x0102 if isinstance(value, bytes) else 0x001E if charset else 0x001F
        octets = value if isinstance(value, bytes) else value.encode(charset or "utf-16-le")
        streams[f"__substg1.0_{tag:04X}{kind:04X}"] = octets
        table += struct.pack("<HHIQ", kind, tag, 6, len(octets))
    streams["__properties_version1.0"] = bytes(table)
    return streams


def msg_tree(
    properties: Mapping[int, "str | bytes | int"],
    *,
    recipients: Sequence[Mapping[int, "str | bytes | int"]] = (),
    attachments: Sequence["Mapping[int, str | bytes | int] | Tree"] = (),
    charset: str = "",
    header: int = 32,
) -> dict[str, "bytes | Tree"]:
    """Write a message as storages; an attachment is its properties, or the tree of a message."""
    tree: dict[str, bytes | Tree] = {**storage(properties, header=header, charset=charset)}
    for number, each in enumerate(recipients):
        tree[f"__recip_version1.0_#{number:08X}"] = storage(each, header=8, charset=charset)
    for number, attached in enumerate(attachments):
        inner: dict[str, bytes | Tree]
        if all(isinstance(key, int) for key in attached):
            inner = {**storage(attached, header=8, charset=charset)}  # type: ignore[arg-type]
        else:
            inner = {**storage({0x3705: 5}, header=8), "__substg1.0_3701000D": attached}  # type: ignore[dict-item]
        tree[f"__attach_version1.0_#{number:08X}"] = inner
    return tree


def file_time(seconds: int) -> int:
    """Return a time since 1970 as a FILETIME."""
    return (seconds + 11_644_473_600) * 10_000_000
