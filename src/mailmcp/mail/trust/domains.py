"""Domain names of strangers: read, compared, and written so that nothing hides in them.

Which domains belong to one organisation is what the public suffix list says
(publicsuffix.org); its copy comes with the library and is read at the first question.
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
"""Where anybody gets an address: users of one of these are no organisation."""


def domain_of(address: str) -> str:
    """Give the domain of an address in lower case, punycode decoded; "" when there is none."""
    _, at, domain = address.rpartition("@")
    return decode_domain(domain) if at else ""


def decode_domain(domain: str) -> str:
    """Write a domain as people see it: lower case, labels in Unicode, no dot at the end.

    A label that is not valid punycode stays as it is. What is longer than a domain
    may be is cut.
    """
    labels = domain[-_HOST_CHARS_MAX:].strip(".").lower().split(".")
    return ".".join(map(_decode_label, labels))


def organisation_of(domain: str) -> str:
    """Give the part of a decoded domain that is registered: `corp.co.uk` of `mx.corp.co.uk`.

    The domain itself where there is no such part: a public suffix, an address literal.
    """
    if domain.endswith("]") or domain.rpartition(".")[2].isdecimal():
        return domain
    return _registered_part()(domain) or domain


def same_organisation(one: str, other: str) -> bool:
    """Tell whether two decoded domains are one organisation's; users of one provider are not."""
    return organisation_of(one) == organisation_of(other) and not is_provider(one)


def is_provider(domain: str) -> bool:
    """Tell whether anybody may have an address there."""
    return organisation_of(domain) in _PROVIDERS


def safe_domain(domain: str) -> str:
    """Write the organisation of a decoded domain for a line of text: ASCII, in quotes, without markup.

    Labels that are not ASCII are punycode; "?" stands for what has no place in a
    domain; of a long one the end is kept. "" for "".
    """
    labels = [_encode_label(label) for label in organisation_of(domain).split(".")]
    text = _NOT_SHOWN.sub("?", ".".join(labels))
    shown = text if len(text) <= _SHOWN_CHARS_MAX else f"…{text[1 - _SHOWN_CHARS_MAX :]}"
    return f'"{shown}"' if shown else ""


def _decode_label(label: str) -> str:
    if not label.startswith("xn--") or len(label) > _LABEL_CHARS_MAX:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode").lower()
    except UnicodeError:
        return label


def _encode_label(label: str) -> str:
    if label.isascii():
        return label
    return "xn--" + label.encode("punycode", "replace").decode("ascii")


@functools.cache
def _registered_part() -> Callable[[str], str | None]:
    # Here, not above: the list takes 40 ms to read, and starting must not wait for it.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    return cast("Callable[[str], str | None]", PublicSuffixList().privatesuffix)
