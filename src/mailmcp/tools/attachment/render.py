"""An attachment as Markdown. Names are strangers' and quoted; text is fenced."""

from mailmcp.tools.attachment.data import GetAttachmentData
from mcp_envelope import Untrusted, code
from mcp_envelope.markdown import quote


def attachment_blocks(data: GetAttachmentData, *, sections_total: int = 0) -> tuple[str | Untrusted, ...]:
    """Format an attachment; `sections_total` counts its sections, of which `data` may hold only some."""
    name = quote(data.filename) or "unnamed"
    blocks: list[str | Untrusted] = [
        f"File: {name} ({quote(data.content_type)}, {data.size_bytes} bytes)",
    ]
    if data.uri:
        blocks.append(f"Resource {code(data.uri)}, SHA-256 {data.sha256}")
    if data.saved_path:
        blocks.append(f"Saved as {code(data.saved_path)}, SHA-256 {data.sha256}")
    if data.sections:
        names = "; ".join(f"{quote(each.name)} at {each.offset}" for each in data.sections)
        more = "; …" if len(data.sections) < sections_total else ""
        blocks.append(f"Sections ({sections_total}): {names}{more}")
    if data.text is not None:
        blocks.append(Untrusted(label="text", text=data.text) if data.text else "(no text)")
    return tuple(blocks)
