"""Whether the text of a link says another thing than the link does.

A link misleads if its text names a host or an address and it goes to another site (registrable domains
are compared), if it has a user name before its host or a label in two alphabets, or if it runs code
(`javascript:`, `data:`): of that one only the scheme is shown. A `mailto` misleads if a recipient is at
another site. The text names a host by a URL or `www.` anywhere in it, or by a bare domain or an address
on a line of few words: a headline may speak of a site.
"""

import re
import unicodedata
from typing import Final

from mailmcp.mail.trust.domains import registered_part
from mailmcp.mail.trust.link import Link, LinkKind, ascii_host, same_site

_TEXT_CHARS_MAX: Final = 500
_WORDS_MAX: Final = 5
_LABEL: Final = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_DOT: Final = "[.\u3002\uff0e\uff61]"  # IDNA knows four
_CLAIM: Final = re.compile(
    rf"(?P<lead>https?://|www\.|[\w.+-]{{1,64}}@)?(?P<host>(?:{_LABEL}{_DOT})+{_LABEL})", re.IGNORECASE
)
_ASCII_HOST: Final = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", re.IGNORECASE)
"""Of a claim in a text that is written without spaces, such as Chinese."""

_FILE_ENDINGS: Final = frozenset({"ai", "cc", "md", "mov", "pl", "ps", "py", "rs", "sh", "so", "zip"})
"""Domains of countries and others that are endings of files as well."""

_RESERVED: Final = frozenset({"example", "test", "invalid"})  # RFC 6761


def find_misleading_host(text: str, link: Link) -> str:
    """Return where a link goes if its text names another site, or its target disguises the site; else ""."""
    hosts = list(link.hosts)
    if link.kind is LinkKind.OTHER:
        hosts = hosts or [f"{link.target.partition(':')[0]}:"]
    if link.disguised:
        return hosts[0]
    if link.kind in (LinkKind.NONE, LinkKind.PHONE, LinkKind.RUNS):
        return ""
    for line in unicodedata.normalize("NFKC", text[:_TEXT_CHARS_MAX]).split("\n"):
        few = len(line.split()) <= _WORDS_MAX
        for claim in _CLAIM.finditer(line):
            lead, named = (claim["lead"] or "").lower(), _named_host(claim["host"])
            anywhere = lead.startswith(("http", "www"))
            if anywhere or (few and (lead.endswith("@") or _is_domain(named))):
                other = next((host for host in hosts if not same_site(named, host)), "")
                if other:
                    return other
    return ""


def _named_host(written: str) -> str:
    host = ascii_host(written)
    plain = None if written.isascii() or _is_domain(host) else _ASCII_HOST.match(written)
    return plain[0].lower() if plain else host


def _is_domain(host: str) -> bool:
    """Return whether a bare name is a domain rather than a file, a number or two words."""
    ending = host.rpartition(".")[2]
    if ending in _RESERVED:
        return True
    if not ending[0].isalpha() or (host.count(".") == 1 and ending in _FILE_ENDINGS):
        return False
    return registered_part(known_only=True)(host) is not None
