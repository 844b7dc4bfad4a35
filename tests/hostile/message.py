"""A hostile message, and what must not come of it."""

from dataclasses import dataclass
from typing import Final

OWN_NAME: Final = "Ada Lovelace"
OWN_ADDRESS: Final = "ada@corp.example"
OWN_HOST: Final = "mx.corp.example"
"""The owner of the mailbox that these messages come to, and the host whose judgement is believed."""

_HEAD: Final = {
    "Date": "Thu, 05 Nov 2026 09:30:00 +0000",
    "From": "Bob Example <bob@example.org>",
    "To": "Ada <ada@corp.example>",
    "Subject": "Tea",
    "Message-ID": "<1@example.org>",
    "MIME-Version": "1.0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileMail:
    """One message, and what a reply about it may and must hold."""

    name: str
    octets: bytes

    hidden: tuple[str, ...] = ()
    """In no channel of any reply: what people do not see."""

    maybe_hidden: tuple[str, ...] = ()
    """Within a mark only, in every channel of any reply: what people may not see."""

    fenced: tuple[str, ...] = ()
    """In the body, and in the text channel between the borders only: what people see."""

    warning: str = ""
    """A regular expression that one of the warnings matches; "" when none is due for this."""

    suspicions: tuple[str, ...] = ()
    """Kinds of suspicion of the sender, all of them."""

    authentication: str = "not known"


def canary(name: str) -> str:
    """Make a word that stands in no other message."""
    return f"canary-{name}-obey"


def letter(body: str = "Tea at four?", *, content_type: str = "text/plain", **head: str) -> bytes:
    """Write a message of one part as raw UTF-8; `reply_to` stands for Reply-To, "" leaves a field out."""
    return _message({**_changed(head), "Content-Type": f"{content_type}; charset=utf-8"}, body)


def html_letter(inner: str, *, style: str = "", **head: str) -> bytes:
    """Write a message that is HTML alone, with something to see around `inner`."""
    sheet = f"<style>{style}</style>" if style else ""
    page = f"<html><head>{sheet}</head><body><p>Tea at four?</p>\n{inner}\n<p>Yours, Bob</p></body></html>"
    return letter(page, content_type="text/html", **head)


def mixed_letter(*parts: tuple[str, str], kind: str = "mixed", **head: str) -> bytes:
    """Write a multipart message; each part is its header lines and its content."""
    texts = [f"--edge\n{lines}\n\n{content}\n" for lines, content in parts]
    fields = {**_changed(head), "Content-Type": f'multipart/{kind}; boundary="edge"'}
    return _message(fields, "".join(texts) + "--edge--\n")


def _changed(head: dict[str, str]) -> dict[str, str]:
    changes = {"-".join(word.capitalize() for word in name.split("_")): value for name, value in head.items()}
    return {name: value for name, value in (_HEAD | changes).items() if value}


def _message(fields: dict[str, str], body: str) -> bytes:
    lines = [f"{name}: {value}" for name, value in fields.items()]
    text = "\n".join(lines) + f"\n\n{body}\n"
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode("utf-8", "surrogateescape")
