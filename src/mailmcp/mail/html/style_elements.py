"""Elements that bring style sheets, or whose effect on a page is that of one."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Final

from mailmcp.mail.html.tags import SPACES

STANDS_FOR: Final = frozenset({"link", "meta"})
"""Elements that can have the effect of a style sheet."""

_STYLE_TAG: Final = re.compile(
    rf"<style(?:[{SPACES}]+(?:(?:type=[\"']?text/css|rel=[\"']?stylesheet)[\"']?|(?:media|id|class|lang|data-[a-z-]+)"
    rf"(?:=(?:\"[^\"&]*\"|'[^'&]*'|[\w-]+))?))*+[{SPACES}]*/?>"
)
"""A style element that certainly has effect, in lower case; parsers differ in character references."""

_LIGHT: Final = frozenset({"normal", "light", "only light", "light only", "light dark", "dark light"})
"""Values of `color-scheme` that leave a page as it is, for a reader who didn't ask for a dark one."""

_IDLE_HEADERS: Final = frozenset(
    {"", "content-type", "content-language", "content-style-type", "content-script-type", "x-ua-compatible"}
    | {"cache-control", "pragma", "expires", "imagetoolbar", "x-dns-prefetch-control"}
)
"""Values of `http-equiv` that leave a page as it is; others may open another one, or choose its styles."""

_CONTROL: Final = re.compile("^[\0-\x20]+|[\t\n\r]+|[\0-\x20]+$")
"""What URLs are read without (URL standard, section 4.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleSheet:
    """The content of a style element."""

    css: str
    media: str
    """Media query list of the element; "" for all."""


@dataclass(frozen=True, slots=True)
class StyleElement:
    """A `style`, `link` or `meta` element, or another that is read without the elements in it."""

    name: str
    tag: str
    written: dict[str, str]
    """Its attributes, with their character references."""

    content: str

    def _attribute(self, name: str) -> str:
        return unescape(self.written.get(name, ""))

    def sheets(self) -> list[StyleSheet]:
        """Return the style sheet that the element is, or has the effect of."""
        href, scheme = (_CONTROL.sub("", self._attribute(key)).lower() for key in ("href", "content"))
        css = ""
        if self.name == "style" and self._attribute("type").lower() in ("", "text/css"):
            css = self.content
        elif self.name == "link" and href.startswith("data:"):  # nobody has to fetch it
            css = "@import 'data:'"
        elif self._attribute("name").lower() == "color-scheme" and re.fullmatch(r"[\w\s,-]+", scheme):
            css = f":where(:root){{color-scheme:{scheme}}}"
        return [StyleSheet(css=css, media=self._attribute("media"))] if css else []

    def is_odd(self, *, inside_foreign: bool) -> bool:
        """Return whether browsers may see other styles.

        Args:
            inside_foreign: Whether the element is in one such as `svg`, where a style may not apply.
        """
        if self.name == "style" and _STYLE_TAG.fullmatch(self.tag.lower()) is None:
            return True  # an alternative that is off, or of another type
        if self.name == "meta" and self._is_odd_meta():
            return True
        # There, all of them may have elements, or end themselves.
        has_tags = "<" in self.content or self.tag.endswith("/>")
        return inside_foreign and (self.name == "style" or has_tags)

    def _is_odd_meta(self) -> bool:
        """Return whether a `meta` element changes the page, its colours, or which styles apply."""
        is_scheme = self._attribute("name").lower() == "color-scheme"
        scheme = " ".join(self._attribute("content").lower().split())
        is_header = self._attribute("http-equiv").strip().lower() not in _IDLE_HEADERS
        return is_header or (is_scheme and scheme not in _LIGHT)
