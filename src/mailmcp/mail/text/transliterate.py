# ruff: noqa: RUF001 - letters of the Cyrillic and Greek alphabets are meant as such
"""Other spellings of a word: without accents, with letters written as two, in another alphabet."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

_LETTERS: Final = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i",
}  # fmt: skip
"""Letters that Unicode doesn't decompose."""

_AS_TWO: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "ß": "ss"}
"""As German, Danish and Norwegian names are written without these letters."""

_CYRILLIC: Final = {
    "щ": "shch", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "ю": "yu", "я": "ya", "ё": "yo",
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "з": "z", "и": "i", "й": "y", "к": "k",
    "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "ъ": "", "ы": "y", "ь": "", "э": "e", "і": "i", "ї": "yi", "є": "ye", "ґ": "g",
}  # fmt: skip
"""Roughly as passports have it."""

_GREEK: Final = {
    "ου": "ou", "θ": "th", "χ": "ch", "ψ": "ps", "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z",
    "η": "i", "ι": "i", "κ": "k", "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r",
    "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f", "ω": "o",
}  # fmt: skip
"""As passports have it (ELOT 743), without the rarer pairs of letters."""


def _from_latin(alphabet: dict[str, str], *, but: str) -> Callable[[str], str]:
    """Return a function that writes a text in an alphabet, as far as its letters have Latin ones."""
    letters = {latin: letter for letter, latin in reversed(alphabet.items()) if latin and letter not in but}
    pieces = re.compile("|".join(sorted(letters, key=len, reverse=True)))
    return lambda text: pieces.sub(lambda match: letters[match[0]], text)


_SOUNDS: Final = (
    ("ph", "f"), ("th", "t"), ("ck", "k"), ("tz", "z"), ("cz", "c"), ("sch", "s"), ("sh", "s"), ("ch", "c"),
    ("y", "i"), ("j", "i"), ("w", "v"), ("q", "k"), ("x", "ks"), ("h", ""),
)  # fmt: skip
"""Spellings of one sound in names; the order matters."""

_AS_TWO_TABLE: Final = str.maketrans(_AS_TWO)
_LATIN_TABLE: Final = str.maketrans(_CYRILLIC | _LETTERS)
_GREEK_PIECES: Final = re.compile("|".join(_GREEK))
_FINAL_SIGMA: Final = re.compile(r"σ\b")
_TO_CYRILLIC, _TO_GREEK = _from_latin(_CYRILLIC, but="ґієї"), _from_latin(_GREEK, but="ςηω")
_DOUBLED: Final = re.compile(r"(.)\1+")


def spellings(text: str) -> list[str]:
    """Return other ways to write a text, the usual ones first; in lower case, each once, without the text."""
    lower = unicodedata.normalize("NFC", text).lower()
    found = dict.fromkeys(_spellings(lower))
    return [each for each in found if each and each != lower]


def _spellings(lower: str) -> Iterator[str]:
    yield to_latin(lower)
    yield to_latin(lower.translate(_AS_TWO_TABLE))
    if lower.isascii():
        for letter, two in _AS_TWO.items():
            if two in lower:
                yield lower.replace(two, letter)
        for other in (_TO_CYRILLIC(lower), _FINAL_SIGMA.sub("ς", _TO_GREEK(lower))):
            yield other if not re.search("[a-z]", other) else ""


def to_latin(text: str) -> str:
    """Return a text in lower-case Latin letters, without accents; alphabets but Cyrillic and Greek stay."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFC", text).lower().translate(_LATIN_TABLE)
    decomposed = unicodedata.normalize("NFKD", plain)
    letters = "".join(each for each in decomposed if not unicodedata.combining(each))
    return _GREEK_PIECES.sub(lambda match: _GREEK[match[0]], letters)


@lru_cache(maxsize=8_192)
def sound(word: str) -> str:
    """Return how a name sounds, roughly: spellings of one sound become equal."""
    text = to_latin(word)
    for spelling, letter in _SOUNDS:
        text = text.replace(spelling, letter)
    return _DOUBLED.sub(r"\1", text)
