"""The note after the text of a link: where it goes, in as few words as possible.

Rules, in this order:

1. A link that misleads is ``text <goes to host: target>``, or ``<goes to host>`` if the target is long.
2. Nothing is added where the text says the target itself.
3. ``text <…>`` goes where the link before it goes, or is long and on the same host.
4. A target of up to LINK_CHARS_MAX characters is shown: ``text <target>``.
5. A longer one is its host, ``text <host/…>``, or those of its recipients: ``text <host, host>``.

``<…>`` never refers to a link that is far above, nor to one in a quotation, which may be collapsed.

A link misleads if its text names a host or an address and it goes to another site
(registrable domains are compared), if it has a user name before its host or a label in two
alphabets, or if it runs code (`javascript:`, `data:`): of that one only the scheme is shown. A `mailto`
misleads if any of its recipients is at another site.
What people may not see of a text, or what is raised in it, doesn't hide what it names: it is read with
and without that, or as one word with it and apart.
The text names a host by a URL or ``www.`` anywhere in it, or by a bare domain or an address
on a line of few words: a headline may speak of a site.
"""

import functools
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

from mailmcp.mail.html.marks import MARK_OPENING
from mailmcp.mail.trust.link import Link, LinkKind, ascii_host, parse_link, same_site
from mailmcp.mail.trust.lookalike import part_signs

_TEXT_CHARS_MAX: Final = 500
_NEAR_CHARS: Final = 1_000
_WORDS_MAX: Final = 5
_HOSTS_MAX: Final = 3
_LABEL: Final = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_DOT: Final = "[.\u3002\uff0e\uff61]"  # IDNA knows four
_CLAIM: Final = re.compile(
    rf"(?P<lead>https?://|www\.|[\w.+-]{{1,64}}@)?(?P<host>(?:{_LABEL}{_DOT})+{_LABEL})", re.IGNORECASE
)
_ASCII_HOST: Final = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", re.IGNORECASE)
"""Of a claim in a text that is written without spaces, such as Chinese."""

_IN_BRACKETS: Final = re.compile(r"\[[^\[\]]*\]")
"""Marked passages, and alternative text: words of a link's text that people may not see."""

_NO_BRACKETS: Final = str.maketrans("", "", "[]")

RAISED: Final = "\x1f"
"""Before raised text, which may be the number of a footnote or a part of the word; no text has it itself."""

_BARE_TARGET: Final = re.compile(r"^(?:https?://|mailto:|tel:)|/$", re.IGNORECASE)
_NO_DIGITS: Final = re.compile(r"[^0-9+]+")
# Domains of countries and others that are endings of files as well.
_FILE_ENDINGS: Final = frozenset({"ai", "cc", "md", "mov", "pl", "ps", "py", "rs", "sh", "so", "zip"})
_RESERVED: Final = frozenset({"example", "test", "invalid"})  # RFC 6761


@dataclass(slots=True)
class LinkBook:
    """The links of one document, in order."""

    misleading: int = 0
    """Links that say one thing and do another, from 0."""

    sent: set[str] = field(default_factory=set)
    """Where buttons that were shown lead."""

    chars_since: int = 0
    """Characters of text since the last link."""

    _last: Link | None = None

    def forget(self) -> None:
        """Let no note refer to a link so far: a reader may not see them."""
        self._last = None
        self.sent.clear()

    def describe(self, text: str, href: str) -> str:
        """Return the note after the text of a link, without white space; "" for none.

        Args:
            text: With a line feed wherever a line ends, RAISED before raised text, and with marks.
            href: The target, absolute.
        """
        link = parse_link(href)
        seen = _IN_BRACKETS.sub("", text)
        text = text.replace(MARK_OPENING, "")
        readings = [text, seen, text.translate(_NO_BRACKETS)]
        if RAISED in text:
            readings = [each.replace(RAISED, between) for each in readings for between in ("", " ")]
        words = " ".join(text.split())
        host = next(filter(None, (find_misleading_host(each, link) for each in readings)), "")
        self.misleading += link.kind is LinkKind.RUNS or bool(words and host)
        if not link.target or not words:
            return ""
        last, self._last = self._last if self.chars_since <= _NEAR_CHARS else None, link
        self.chars_since = 0
        if host or link.kind is LinkKind.RUNS:
            return f"<goes to {_name_target(link, host)}>"
        if _bare(words, link.kind) == _bare(link.target, link.kind):
            return ""
        is_near = link.is_long and last is not None and any(_hosts(link)) and _hosts(link) == _hosts(last)
        if is_near or (last is not None and link.target == last.target):
            return "<…>"
        return f"<{_shorten(link) if link.is_long else link.target}>"


def _hosts(link: Link) -> list[str]:
    return list(dict.fromkeys(filter(None, (link.host, *link.other_hosts))))


def _shorten(link: Link) -> str:
    hosts = _hosts(link)
    if len(hosts) > 1:
        return _name_hosts(hosts)
    return f"{hosts[0]}/…" if hosts else f"{link.target.partition(':')[0]}:…"


def _name_hosts(hosts: list[str]) -> str:
    return ", ".join([*hosts[:_HOSTS_MAX], *(["…"] if len(hosts) > _HOSTS_MAX else [])])


def _name_target(link: Link, host: str) -> str:
    if link.is_long:
        return _name_hosts(list(dict.fromkeys([host, *_hosts(link)])))
    return link.target if link.target.startswith(host) else f"{host}: {link.target}"


def _bare(text: str, kind: LinkKind) -> str:
    """Reduce a target, or a text that may repeat it, to what distinguishes it from others."""
    if kind is LinkKind.PHONE:
        return _NO_DIGITS.sub("", text)
    return _BARE_TARGET.sub("", text).lower()


def find_misleading_host(text: str, link: Link) -> str:
    """Return where a link goes if its text names another site, or its target disguises the site; else ""."""
    scheme = f"{link.target.partition(':')[0]}:"
    hosts = _hosts(link)
    if link.kind is LinkKind.OTHER:
        hosts = hosts or [scheme]
    if link.disguised:
        return hosts[0]
    if link.kind in (LinkKind.NONE, LinkKind.PHONE, LinkKind.RUNS):
        return ""
    text = text[:_TEXT_CHARS_MAX]
    if (parted := part_signs(text)) != text:
        text = f"{text}\n{parted}"
    for line in unicodedata.normalize("NFKC", text).split("\n"):
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
    return _registered_part()(host) is not None


@functools.cache
def _registered_part() -> Callable[[str], str | None]:
    # Here, not above: the list takes 40 ms to read, and starting must not wait for it.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    return cast("Callable[[str], str | None]", PublicSuffixList(accept_unknown=False).privatesuffix)
