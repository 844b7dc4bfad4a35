"""PDF files made object by object."""

from collections.abc import Sequence


def pdf(pages: Sequence[str | bytes]) -> bytes:
    """Make a PDF: each page shows a text in Helvetica, or is a content stream given in octets."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for index, page in enumerate(pages):
        objects += [
            (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * index} 0 R "
                "/Resources << /Font << /F1 3 0 R >> >> >>"
            ).encode(),
            stream(page if isinstance(page, bytes) else show(page)),
        ]
    written = bytearray(b"%PDF-1.7\n")
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n".encode() + each + b"\nendobj\n"
    start = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    written += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    written += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
    return bytes(written + f"startxref\n{start}\n%%EOF\n".encode())


def show(text: str) -> bytes:
    """Write the operators that show lines of text."""
    lines = b"".join(
        b"(" + line.encode("cp1252").replace(b"(", b"\\(").replace(b")", b"\\)") + b") Tj 0 -14 Td "
        for line in text.split("\n")
    )
    return b"BT /F1 12 Tf 72 720 Td " + lines + b"ET"


def stream(content: bytes) -> bytes:
    """Make a stream object."""
    return f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"
