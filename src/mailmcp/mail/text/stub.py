"""Plain text that is a stub: it stands where the text should be, and the HTML has the content.

Programs send "Please use an HTML viewer", a link, or a few words for form's sake. What is decided is whether
the HTML says things that the plain text doesn't have; how the stub puts it matters little.
"""

import re
import unicodedata
from typing import Final

from mailmcp.mail.html.marks import without_marked
from mailmcp.mail.text.words import ADDRESS, BOILERPLATE, UNSPACED, without_targets

_SHARED: Final = 0.3  # of what the HTML says; text made from the HTML has nearly all of it
_SHARED_BY_STUB: Final = 0.5
_SENTENCE: Final = 3  # words about reading mail, and no others
_SHORT: Final = 25  # words; whatever says so little may be a stub
_SHORT_ABOUT_HTML: Final = 60  # with the footer of a newsletter
_LESS: Final = 3  # times less than the HTML; a longer plain text is a stub only if it says so little
_MORE: Final = 5  # words that only the HTML has

_CHARS_SHORT: Final = 600
"""Of a plain text that is compared though the HTML is short, too."""

_SOURCE: Final = _LESS
"""A longer one is compared only if the source of the HTML is so many times longer: no other says as much."""

_UNIT: Final = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_ALL_UNSPACED: Final = re.compile(rf"[{UNSPACED}]+")
_ABOUT_HTML: Final = re.compile(
    r"\b(?:html|mime|browser\w*|webbrowser|navigateur|navegador\w*|nettleser\w*|webbläsare\w*|selai\w+|"
    r"przeglądar\w+|prohlížeč\w*|prehliadač\w*|böngésző\w*|taray\u0131c\u0131\w*|preglednik\w*|pregledač\w*|"
    r"браузер\w*|браузър\w*|прегледач\w*|peramban|trình duyệt|webversion\w*|onlineversion\w*|"
    r"(?:web|online) version|version (?:en ligne|web)|versión (?:en línea|web)|versione (?:online|web))\b"
    r"|περιήγησης|דפדפן|متصفح|مرورگر|เบราว์เซอร์|浏览器|瀏覽器|ブラウザ|브라우저",
    re.IGNORECASE,
)


def may_be_stub(plain: str, html_source: str) -> bool:
    """Return whether it is worth comparing a plain text with the HTML: most mail needs no reading of both."""
    text = plain.strip()
    return len(ADDRESS.sub("", text)) <= _CHARS_SHORT or len(text) * _SOURCE <= len(html_source)


def is_stub(plain: str, html: str, *, html_is_cut: bool = False) -> bool:
    """Return whether the HTML should be read instead of the plain text.

    Args:
        plain: As it reads.
        html: What people see of the HTML, with marks where they may not.
        html_is_cut: Whether there may be more of it, in which the plain text may be.
    """
    words = _units(plain)
    said, seen = words - BOILERPLATE, _units(without_targets(without_marked(html))) - BOILERPLATE
    more = len(seen - said)
    if not more:
        return False
    if not said and (not words or len(words) >= _SENTENCE):
        return True
    shared = len(said) if html_is_cut else len(said & seen)
    if len(said) <= _SHORT_ABOUT_HTML and _ABOUT_HTML.search(plain):
        return shared < _SHARED_BY_STUB * len(seen)
    says_little = len(said) <= _SHORT or len(said) * _LESS <= len(seen)
    return says_little and more >= _MORE and shared < _SHARED * len(seen)


def _units(text: str) -> set[str]:
    """Collect the words and numbers of a text; of scripts without spaces, pairs of characters."""
    found: set[str] = set()
    for match in _UNIT.finditer(ADDRESS.sub(" ", unicodedata.normalize("NFC", text)).casefold()):
        unit = match[0]
        if len(unit) > 2 and _ALL_UNSPACED.fullmatch(unit):
            found.update(unit[at : at + 2] for at in range(len(unit) - 1))
        else:
            found.add(unit)
    return found
