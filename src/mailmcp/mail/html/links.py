"""Where a link leads, after its text, in as few words as possible.

1. A link that misleads is `text <goes to host: target>`, in full.
2. Nothing is added where the text says the target itself.
3. A short target, which people read or type, is shown: `text <target>`.
4. A longer one has a number, `text [12: host]`, and is in `targets`; in `[13]` the host is that of the
   number before, unless that is far above or in a quotation, which may be collapsed.
"""

import re
from collections.abc import Sequence
from typing import Final

from mailmcp.mail.trust.link import Link, LinkKind, parse_link
from mailmcp.mail.trust.link_text import find_misleading_host

SHORT_CHARS_MAX: Final = 50
"""Longer targets have a number: nobody reads or types them, and they cost more than the text around them."""

_MISLEADING_CHARS_MAX: Final = 1_000
_TARGET_CHARS_MAX: Final = 2_000  # of a numbered one in a reply's data; browsers take no more
_NUMBERED: Final = re.compile(r"[\[(](\d{1,6})(?:: [^\]\)\n]*)?[\])]")
_NEAR_CHARS: Final = 4_000
_HOSTS_MAX: Final = 3
_IN_BRACKETS: Final = re.compile(r"\[[^\[\]]*\]")
"""Alternative text: words of a link's text that people may not see."""

_NO_BRACKETS: Final = str.maketrans("", "", "[]")
_BARE_TARGET: Final = re.compile(r"^(?:https?://|mailto:|tel:)|/$", re.IGNORECASE)
_NO_DIGITS: Final = re.compile(r"[^0-9+]+")


class LinkBook:
    """The links of one document, in order."""

    def __init__(self, *, first: int = 1, in_full: bool = False) -> None:
        self.misleading = 0
        self.chars_since = 0
        """Characters of text since a host was last written."""

        self._numbers: dict[str, int] = {}
        self._first, self._in_full = first, in_full
        self._hosts = ""  # as last written

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that have numbers."""
        return tuple(self._numbers)

    def forget(self) -> None:
        """Write the host of the next number: a reader may not see those so far."""
        self._hosts = ""

    def describe(self, text: str, href: str) -> str:
        """Return what to write after the text of a link; "" for nothing.

        Args:
            text: With a line feed wherever a line ends, and around what people may not see.
            href: The target, absolute.
        """
        link = parse_link(href)
        words = " ".join(text.split())
        readings = (text, _IN_BRACKETS.sub("", text), text.translate(_NO_BRACKETS))
        host = next(filter(None, (find_misleading_host(each, link) for each in readings)), "")
        self.misleading += link.kind is LinkKind.RUNS or bool(words and host)
        if not link.target or not words:
            return ""
        if host or link.kind is LinkKind.RUNS:
            return f"<goes to {_name_target(link, host)}>"
        if _bare(words, link.kind) == _bare(link.target, link.kind):
            return ""
        is_long = len(link.target) > SHORT_CHARS_MAX and not self._in_full
        return self._number(link) if is_long else f"<{link.target}>"

    def _number(self, link: Link) -> str:
        number = self._numbers.setdefault(link.target, self._first + len(self._numbers))
        hosts = link.hosts or (f"{link.target.partition(':')[0]}:",)
        named = ", ".join([*hosts[:_HOSTS_MAX], *(["…"] if len(hosts) > _HOSTS_MAX else [])])
        if named == self._hosts and self.chars_since <= _NEAR_CHARS:
            return f"[{number}]"
        self._hosts, self.chars_since = named, 0
        return f"[{number}: {named}]"


def numbered_links(text: str, targets: Sequence[str]) -> dict[str, str]:
    """Return the targets of the links that have numbers in a text, by number, but for very long ones."""
    numbers = sorted({int(each) for each in _NUMBERED.findall(text)})
    known = {str(number): targets[number - 1] for number in numbers if 0 < number <= len(targets)}
    return {number: target for number, target in known.items() if len(target) <= _TARGET_CHARS_MAX}


def _name_target(link: Link, host: str) -> str:
    target = link.target
    if len(target) > _MISLEADING_CHARS_MAX:
        target = f"{target[:_MISLEADING_CHARS_MAX]}…"
    return target if target.startswith(host) else f"{host}: {target}"


def _bare(text: str, kind: LinkKind) -> str:
    """Reduce a target, or a text that may repeat it, to what distinguishes it from others."""
    if kind is LinkKind.PHONE:
        return _NO_DIGITS.sub("", text)
    return _BARE_TARGET.sub("", text).lower()
