"""winmail.dat written attribute by attribute ([MS-OXTNEF])."""

import struct
from collections.abc import Mapping, Sequence

Value = str | bytes | int | list[str]


def attribute(id_: int, data: bytes, *, level: int = 1, damage: int = 0) -> bytes:
    """Write an attribute with its checksum, which `damage` makes wrong."""
    return (
        struct.pack("<BII", level, id_, len(data)) + data + struct.pack("<H", (sum(data) + damage) & 0xFFFF)
    )


def tnef(*attributes: bytes) -> bytes:
    """Write the file."""
    return (
        struct.pack("<IH", 0x223E9F78, 7)
        + attribute(0x00089006, struct.pack("<I", 0x10000))
        + b"".join(attributes)
    )


def properties(values: Mapping[int, Value]) -> bytes:
    """Write properties; ids from 0x8000 are named."""
    out = struct.pack("<I", len(values))
    for id_, value in values.items():
        name = bytes(16) + struct.pack("<II", 0, 1) if id_ >= 0x8000 else b""
        match value:
            case int():
                kind = 0x40 if value > 0xFFFFFFFF else 0x03
                out += (
                    struct.pack("<HH", kind, id_) + name + value.to_bytes(8 if kind == 0x40 else 4, "little")
                )
            case str():
                octets = value.encode("utf-16-le")
                out += struct.pack("<HH", 0x1F, id_) + name + struct.pack("<I", 1) + counted(octets)
            case bytes():
                out += struct.pack("<HH", 0x102, id_) + name + struct.pack("<I", 1) + counted(value)
            case list():
                out += struct.pack("<HHI", 0x101F, id_, len(value))
                out += b"".join(counted(each.encode("utf-16-le")) for each in value)
    return out


def counted(octets: bytes) -> bytes:
    """Write octets with their length, padded to four."""
    return struct.pack("<I", len(octets)) + octets + bytes(-len(octets) % 4)


def message(values: Mapping[int, Value]) -> bytes:
    """Write the properties of the message."""
    return attribute(0x00069003, properties(values))


def recipients(*rows: Mapping[int, Value]) -> bytes:
    """Write the table of recipients."""
    return attribute(0x00069004, struct.pack("<I", len(rows)) + b"".join(map(properties, rows)))


def file(name: str, content: bytes, values: Mapping[int, Value] | None = None) -> bytes:
    """Write an attachment: its begin, its title, its data and its properties."""
    return (
        attribute(0x00069002, bytes(14), level=2)
        + attribute(0x00018010, name.encode("cp1252") + b"\0", level=2)
        + attribute(0x0006800F, content, level=2)
        + (attribute(0x00069005, properties(values), level=2) if values else b"")
    )


def attached_message(inner: bytes) -> bytes:
    """Write an attachment that is another file of this kind."""
    interface = bytes.fromhex("0703020000000000c000000000000046")
    data = struct.pack("<IHHI", 1, 0x000D, 0x3701, 1) + counted(interface + inner)
    return attribute(0x00069002, bytes(14), level=2) + attribute(0x00069005, data, level=2)


def stored_rtf(rtf: bytes) -> bytes:
    """Wrap RTF that isn't compressed."""
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def packed_rtf(rtf: bytes, references: Sequence[tuple[int, int]] = ()) -> bytes:
    """Compress RTF with nothing but literals; references of offset and length come after it."""
    items: list[bytes] = [bytes([each]) for each in rtf]
    items += [struct.pack(">H", offset << 4 | length - 2) for offset, length in references]
    first_reference = len(rtf)
    out = bytearray()
    for start in range(0, len(items), 8):
        group = items[start : start + 8]
        control = sum(1 << bit for bit in range(len(group)) if start + bit >= first_reference)
        out += bytes([control]) + b"".join(group)
    size = len(rtf) + sum(length for _, length in references)
    return struct.pack("<II4sI", len(out) + 12, size, b"LZFu", 0) + bytes(out)
