"""Domain names of strangers: decoded, compared, and written so that nothing hides in them.

The public suffix list (publicsuffix.org) says which domains belong to one organisation. The library
ships a copy, which is read when it is first needed.
"""

import functools
import re
from collections.abc import Callable
from typing import Final, cast

_HOST_CHARS_MAX: Final = 253  # RFC 1035 section 2.3.4, as text
_LABEL_CHARS_MAX: Final = 63
_SHOWN_CHARS_MAX: Final = 60
_NOT_SHOWN: Final = re.compile(r"[^a-z0-9.-]")

_PROVIDERS: Final = frozenset(
    re.split(
        " ",
        "126.com 163.com aol.com comcast.net daum.net email.com fastmail.com free.fr freenet.de gmail.com "
        "gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.com icloud.com laposte.net "
        "libero.it live.com mac.com mail.com mail.de mail.ru mailbox.org me.com msn.com naver.com o2.pl "
        "orange.fr outlook.com pm.me posteo.de proton.me protonmail.com qq.com rediffmail.com seznam.cz "
        "sina.com t-online.de tuta.com tutanota.com wanadoo.fr web.de wp.pl yahoo.com yandex.com yandex.ru "
        "ymail.com zoho.com",
    )
)
"""Where anybody can get an address: users of one of these are not an organisation."""


def domain_of(address: str) -> str:
    """Return the domain of an address in lower case, punycode decoded; "" if there is none."""
    _, at, domain = address.rpartition("@")
    return decode_domain(domain) if at else ""


def decode_domain(domain: str) -> str:
    """Return a domain as people see it: lower case, labels in Unicode, no dot at the end.

    A label that is not valid punycode is kept. A longer text than a domain can be is cut.
    """
    labels = domain[-_HOST_CHARS_MAX:].strip(".").lower().split(".")
    return ".".join(map(_decode_label, labels))


def organisation_of(domain: str) -> str:
    """Return the part of a decoded domain that is registered: `corp.co.uk` of `mx.corp.co.uk`.

    The domain itself if there is no such part: a public suffix, an address literal.
    """
    if domain.endswith("]") or domain.rpartition(".")[2].isdecimal():
        return domain
    return registered_part()(domain) or domain


def same_organisation(one: str, other: str) -> bool:
    """Return whether two decoded domains belong to one organisation; users of one provider don't."""
    return organisation_of(one) == organisation_of(other) and not is_provider(one)


def is_provider(domain: str) -> bool:
    """Return whether anybody can have an address there."""
    return organisation_of(domain) in _PROVIDERS


def safe_domain(domain: str) -> str:
    """Write the organisation of a decoded domain for a line of text: ASCII, in quotes, without markup.

    Labels that are not ASCII become punycode, and characters that no domain has become "?". A long
    domain keeps its end. "" for "".
    """
    text = _NOT_SHOWN.sub("?", to_ascii(organisation_of(domain)))
    shown = text if len(text) <= _SHOWN_CHARS_MAX else f"…{text[1 - _SHOWN_CHARS_MAX :]}"
    return f'"{shown}"' if shown else ""


def _decode_label(label: str) -> str:
    if not label.startswith("xn--") or len(label) > _LABEL_CHARS_MAX:
        return label
    try:
        decoded = label[4:].encode("ascii").decode("punycode").lower()
    except UnicodeError:
        return label
    return label if decoded.isascii() else decoded  # ASCII is never encoded (RFC 5890 section 2.3.2.1)


def to_ascii(domain: str) -> str:
    """Write the labels of a domain that are not ASCII as punycode."""
    return ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode", "replace").decode("ascii")
        for label in domain.split(".")
    )


@functools.cache
def registered_part(*, known_only: bool = False) -> Callable[[str], str | None]:
    """Return the function that finds the registered part of a domain; None for a public suffix.

    With `known_only`, also for what ends in no suffix of the list.
    """
    # Imported here: reading the list takes 40 ms, and the start must not wait for it.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    suffixes = PublicSuffixList(accept_unknown=not known_only)
    return cast("Callable[[str], str | None]", suffixes.privatesuffix)
