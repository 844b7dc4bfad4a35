"""OLE files ([MS-CFB]) written sector by sector, and messages of Outlook's in them ([MS-OXMSG])."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_SECTOR: Final = 512
_MINI_SECTOR: Final = 64
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
class _Layout:
    entries: list[_Entry] = field(default_factory=lambda: [_Entry("Root Entry", 5)])
    mini: bytearray = field(default_factory=bytearray)
    mini_fat: list[int] = field(default_factory=list)
    sectors: bytearray = field(default_factory=bytearray)
    fat: list[int] = field(default_factory=list)

    def add(self, tree: Tree) -> int:
        """Add the entries of a storage as a chain of right siblings, and return the first."""
        first = _FREE
        for name in sorted(tree, key=lambda each: (len(each), each.upper()), reverse=True):
            content = tree[name]
            entry = _Entry(name, 2 if isinstance(content, bytes) else 1, right=first)
            first = len(self.entries)
            self.entries.append(entry)
            if not isinstance(content, bytes):
                entry.child = self.add(content)
            elif len(content) >= _CUTOFF:
                entry.start, entry.size = self.store(content), len(content)
            elif content:
                entry.start, entry.size = self._store_mini(content), len(content)
        return first

    def store(self, content: bytes) -> int:
        start = len(self.fat)
        count = -(-len(content) // _SECTOR)
        self.sectors += content.ljust(count * _SECTOR, b"\0")
        self.fat += [*range(start + 1, start + count), _END]
        return start

    def _store_mini(self, content: bytes) -> int:
        start = len(self.mini_fat)
        count = -(-len(content) // _MINI_SECTOR)
        self.mini += content.ljust(count * _MINI_SECTOR, b"\0")
        self.mini_fat += [*range(start + 1, start + count), _END]
        return start


def ole_file(tree: Tree) -> bytes:
    """Write streams and storages as an OLE file of version 3."""
    layout = _Layout()
    root = layout.entries[0]
    root.child = layout.add(tree)
    if layout.mini:
        root.start, root.size = layout.store(bytes(layout.mini)), len(layout.mini)
    mini_fat = b"".join(struct.pack("<I", each) for each in layout.mini_fat)
    mini_fat_start = (
        layout.store(mini_fat.ljust(-(-len(mini_fat) // _SECTOR) * _SECTOR, b"\xff")) if mini_fat else _END
    )
    directory = b"".join(each.packed() for each in layout.entries)
    directory_start = layout.store(directory)
    fat_count = 1
    while (len(layout.fat) + fat_count) * 4 > fat_count * _SECTOR:
        fat_count += 1
    fat_start = len(layout.fat)
    fat = [*layout.fat, *[_FAT] * fat_count]
    packed_fat = struct.pack(f"<{len(fat)}I", *fat).ljust(fat_count * _SECTOR, b"\xff")
    assert fat_count <= 109
    mini_count = -(-len(mini_fat) // _SECTOR)
    numbers = 0, fat_count, directory_start, 0, _CUTOFF, mini_fat_start, mini_count, _END, 0
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<5H6x9I", 0x3E, 3, 0xFFFE, 9, 6, *numbers)
    places = [*range(fat_start, fat_start + fat_count)]
    header += struct.pack("<109I", *places, *[_FREE] * (109 - fat_count))
    return header + bytes(layout.sectors) + packed_fat


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
