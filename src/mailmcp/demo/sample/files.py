"""Files to attach, made of octets here: a PDF, a PNG, a table, a calendar, a lump.

Each is a true file of its kind that its usual programs open.
"""

import csv
import hashlib
import io
import struct
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address


def make_pdf(lines: Sequence[str]) -> bytes:
    """Make a PDF of one A4 page with the given lines of printable ASCII (ISO 32000-1 section 7.5)."""
    shown = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines]
    text = "BT /F1 11 Tf 16 TL 56 786 Td " + " ".join(f"({line}) Tj T*" for line in shown) + " ET"
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("ascii")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size, start = len(bodies) + 1, len(out)
    out += f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode("ascii")
    out += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode("ascii")
    return bytes(out)


def make_png(bars: Sequence[int], *, height: int = 48) -> bytes:
    """Make a bar chart as a grey PNG, one bar of 8 pixels each (RFC 2083)."""
    rows = bytearray()
    for y in range(height, 0, -1):
        rows.append(0)  # filter type: none
        for bar in bars:
            rows += (b"\x40" if bar >= y else b"\xf0") * 7 + b"\xff"
    header = struct.pack(">IIBBBBB", 8 * len(bars), height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def make_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Make a table in UTF-8 (RFC 4180)."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().encode()


def make_ics(
    summary: str,
    start: datetime,
    *,
    hours: float = 1,
    organizer: Address,
    place: str,
    method: str = "REQUEST",
) -> bytes:
    """Make a calendar with one event (RFC 5545, RFC 5546)."""
    uid = hashlib.sha256(f"{summary}{start.isoformat()}".encode()).hexdigest()[:20]
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Fernhill Instruments//Calendar//EN",
        f"METHOD:{method}",
        "BEGIN:VEVENT",
        f"UID:{uid}@example.com",
        f"DTSTAMP:{_ics_time(start - timedelta(days=3))}",
        f"DTSTART:{_ics_time(start)}",
        f"DTEND:{_ics_time(start + timedelta(hours=hours))}",
        f"SUMMARY:{summary}",
        f"ORGANIZER;CN={organizer.display_name}:mailto:{organizer.addr_spec}",
        f"LOCATION:{place}",
        "STATUS:CONFIRMED",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()


def make_lump(name: str, size_octets: int) -> bytes:
    """Make octets without any pattern, always the same for one name."""
    return hashlib.shake_256(name.encode()).digest(size_octets)


def _ics_time(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
