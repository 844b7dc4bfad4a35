"""Where a stranger's link leads: the target as a browser reads it, written so that its host can't hide.

Browsers forgive much (URL Standard, sections 4.4 and 4.1): line ends inside, backslashes for
slashes, any number of slashes, a user name before the host, escapes in the host. This module shows
what they make of it. `mailmcp.mail.trust.domains` compares sites.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote, urljoin

from mailmcp.mail.clean import INVISIBLE, clean_line
from mailmcp.mail.header.address import is_seen_whole
from mailmcp.mail.trust.domains import decode_domain, domain_of, organisation_of, to_ascii
from mailmcp.mail.trust.lookalike import alphabets_of

_HOST_CHARS_MAX: Final = 253  # RFC 1035 section 2.3.4
_LINE_ENDS: Final = re.compile(r"[\t\r\n]+")
_CONTROLS: Final = "".join(map(chr, range(0x21)))
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*+):", re.IGNORECASE)
_RELATIVE: Final = re.compile(r"[/\\]{2}")  # to the scheme alone
_AFTER_HOST: Final = re.compile(r"[/\\?#]")
_PORT: Final = re.compile(r":0*(\d*)$")
_DEFAULT_PORTS: Final = {"http": "80", "https": "443", "ftp": "21"}
"""Of the schemes that need no slashes before their host, and take backslashes for them (URL Standard 3.1)."""

_IPV4: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")
_NO_WORD: Final = re.compile(rf"[\s<>{INVISIBLE}]")
_ESCAPED: Final = re.compile(r"[^a-z0-9._:\[\]-]")
_RUNNING: Final = frozenset({"javascript", "data", "vbscript", "blob", "about", "view-source"})
_WITHIN: Final = frozenset({"cid", "mid", "x-msg", "applewebdata"})
"""Schemes of the message itself, and what mail programs make of relative targets."""

_RECIPIENTS_MAX: Final = 20
_PATH: Final = re.compile(r"([^?#]*)(.*)", re.DOTALL)
_TRACKING: Final = re.compile(
    r"(?:utm_\w*|mc_[ce]id|[fgdy]bclid|[fgdy]clid|msclkid|igshid|_hs(?:enc|mi)|mkt_tok|vero_(?:id|conv)|oly_\w+_id"
    r"|ck_subscriber_id|_branch_match_id|trk\w*|s_cid|ss_\w+)",
    re.IGNORECASE,
)


class LinkKind(StrEnum):
    """What kind of target it is."""

    WEB = "web"
    MAIL = "mail"
    PHONE = "phone"
    NONE = "none"
    """Nothing outside the message: fragments, relative paths, parts of the message."""

    OTHER = "other"
    """Any other scheme: a file, or whatever program has registered for it."""

    RUNS = "runs"
    """Code or an embedded document (`javascript:`, `data:` …); only its scheme is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The target of a link."""

    kind: LinkKind
    target: str = ""
    """As shown: one word, host in ASCII, without tracking parameters and user name. "" for NONE."""

    host: str = ""
    """Host of a page or domain of the first address: lower case, ASCII. "" if there is none."""

    other_hosts: tuple[str, ...] = ()
    """Domains of further addresses."""

    disguised: bool = False
    """Whether the target deceives: a user name before the host, or a label that mixes alphabets."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts and domains, each once."""
        return tuple(dict.fromkeys(filter(None, (self.host, *self.other_hosts))))


_NOWHERE: Final = Link(kind=LinkKind.NONE)


def parse_link(href: str) -> Link:
    """Parse a target of any kind, in time linear in its length. A scheme-relative one counts as https."""
    text = escape_odd(href)
    scheme = _SCHEME.match(text)
    name = scheme[1].lower() if scheme else ""
    if name in _DEFAULT_PORTS or (not scheme and _RELATIVE.match(text)):
        return _parse_page(name or "https", text[scheme.end() :] if scheme else text)
    if name == "mailto":
        return _parse_mail(text.partition(":")[2])
    if scheme is None or name in _WITHIN or not text[scheme.end() :].strip():
        return _NOWHERE
    if name in _RUNNING:
        return Link(kind=LinkKind.RUNS, target=f"{name}:…")
    rest = _one_word(text[scheme.end() :])
    if name == "tel":
        return Link(kind=LinkKind.PHONE, target=f"tel:{rest}")
    return Link(kind=LinkKind.OTHER, target=f"{name}:{rest}")


def escape_odd(href: str) -> str:
    """Return a target as browsers read it; characters that nobody sees, or takes for others, as escapes."""
    text = _LINE_ENDS.sub("", href).strip(_CONTROLS)
    return text if is_seen_whole(text) else _escape(text)


def resolve_link(href: str, base: str) -> str:
    """Resolve a relative target against a base, which is one with a host as `parse_link` writes it, or ""."""
    text = escape_odd(href)
    path, tail = map(str, _PATH.match(text).groups())  # type: ignore[union-attr] # of any text
    if not base or _SCHEME.match(text):
        return href
    try:
        return urljoin(base, path.replace("\\", "/") + tail)
    except ValueError:  # brackets in the host
        return href


def ascii_host(host: str) -> str:
    """Return a host as it is looked up: lower case, no dot at the end, punycode for other letters.

    Signs are escapes (`a%26b.example`), which browsers read: as they are, they may look like the host's end.
    """
    plain = unicodedata.normalize("NFKC", clean_line(unquote(host)).text)[:_HOST_CHARS_MAX].lower().strip(".")
    written = _ESCAPED.sub(lambda sign: quote(sign[0], safe=""), to_ascii(plain.replace("\u3002", ".")))
    return _ipv4(written) if _IPV4.fullmatch(written) else written


def _ipv4(number: str) -> str:
    """Write an address in any of its spellings as four numbers (URL Standard, section 3.5)."""
    *first, last = number.split(".")
    try:
        octets = bytes(map(_read_number, first))
        return ".".join(map(str, octets + _read_number(last).to_bytes(4 - len(first), "big")))
    except (ValueError, OverflowError):
        return number


def _read_number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)


def same_site(one: str, other: str) -> bool:
    """Return whether two hosts belong to one registrable domain, or are equal."""
    return one == other or organisation_of(decode_domain(one)) == organisation_of(decode_domain(other))


def _parse_page(scheme: str, rest: str) -> Link:
    after = rest.lstrip("/\\")
    authority = _AFTER_HOST.split(after, maxsplit=1)[0]
    user, _, host = authority.rpartition("@")
    port = _PORT.search(host)
    shown = ascii_host(host[: port.start()] if port else host)
    if not shown:
        return _NOWHERE
    number = f":{port[1]}" if port and port[1] not in ("", _DEFAULT_PORTS.get(scheme)) else ""
    path, tail = _PATH.match(after, len(authority)).groups()  # type: ignore[union-attr] # of any text
    where = _drop_tracking(_one_word(path.replace("\\", "/") + tail))
    scripts = map(alphabets_of, decode_domain(shown).split("."))
    return Link(
        kind=LinkKind.WEB,
        target=f"{scheme}://{shown}{number}{where}",
        host=shown,
        disguised=bool(user) or any("LATIN" in found and len(found) > 1 for found in scripts),
    )


def _parse_mail(text: str) -> Link:
    """Read the recipients of a `mailto` (RFC 6068 section 2): those of `to`, `cc` and `bcc`, too."""
    path, _, query = text.partition("?")
    fields = (each.partition("=") for each in query.split("&"))
    lists = [path, *(value for name, _, value in fields if unquote(name).lower() in ("to", "cc", "bcc"))]
    found = (unquote(each).strip(" ") for each in ",".join(lists).split(","))
    addresses = list(dict.fromkeys(each for each in found if each))[:_RECIPIENTS_MAX]
    if not addresses:
        return _NOWHERE
    host, *others = (ascii_host(domain_of(each)) for each in addresses)
    shown = ",".join(map(_write_address, addresses))
    return Link(kind=LinkKind.MAIL, target=f"mailto:{shown}", host=host, other_hosts=tuple(others))


def _write_address(address: str) -> str:
    """Write an address as one of a list; what could be taken for another's or a second one, as escapes."""
    local, at, domain = address.rpartition("@")
    if not domain.isascii() and is_seen_whole(domain):
        domain = ascii_host(domain)
    written = f"{local}{at}{domain}".replace("%", "%25")
    return _one_word(written if is_seen_whole(written) else _escape(written)).replace(",", "%2C")


def _escape(text: str) -> str:
    return "".join(each if each.isascii() and each.isprintable() else quote(each) for each in text)


def _one_word(text: str) -> str:
    """Write white space, angle brackets and what nobody can see as escapes."""
    return _NO_WORD.sub(lambda match: quote(match.group()), text.strip())


def _drop_tracking(rest: str) -> str:
    """Remove parameters that only tell the sender who clicked."""
    before, sharp, fragment = rest.partition("#")
    path, mark, query = before.partition("?")
    kept = "&".join(each for each in query.split("&") if not _TRACKING.fullmatch(each.partition("=")[0]))
    return path + (mark if kept else "") + kept + sharp + fragment
