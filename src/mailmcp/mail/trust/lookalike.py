"""Letters that look like others, and words that use them to pass for something else.

The pairs come from the Unicode list of confusable characters (UTS 39, confusables.txt): letters of
left-to-right scripts that look like ASCII letters in ordinary fonts. Normalisation removes accents
and letter forms.
"""

import unicodedata
from typing import Final

from mailmcp.mail.trust.domains import is_provider, organisation_of, same_organisation

ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
"""Scripts whose letters pass for one another. No ordinary word mixes two of them."""

_EDITED_CHARS_MIN: Final = 6
"""Shorter names have too many honest neighbours that differ in one letter."""

_CHARS_MAX: Final = 2_000
"""How much of a text is compared: as much as a reply shows of a header."""

# Code point and the ASCII character it looks like.
_PAIRS: Final = (
    # Cyrillic
    "0430a 0441c 0501d 0435e 04BDe 0433r 04BBh 0456i 0458j 04CFl 043Eo 0440p 051Bq 0455s 0475v 0461w 051Dw "
    "0445x 0443y 04AFy 0410A 0412B 0421C 0415E 050CG 041DH 0406I 0408J 041AK 04C0I 041CM 041EO 0420P 0405S "
    "0422T 0474V 051CW 0425X 0423Y 04AEY "
    # Greek
    "03B1a 03B9i 03F3j 03BFo 03C3o 03C1p 03C5u 03BDv 03B3y 0391A 0392B 0395E 0396Z 0397H 0399I 039AK 039CM "
    "039DN 039FO 03A1P 03A4T 03A5Y 03A7X "
    # Armenian
    "0561w 0563q 0566q 0570h 0578n 057Cn 057Du 0581g 0584f 0585o 054DU 054FS 0555O "
    # Latin beyond ASCII, where normalisation does not lead back to it
    "0111d 0127h 0131i 0142l 00F8o 0251a 0261g 0263y 0268i 0269i 026Ai 026Fw 028Bv 028Fy 1D04c 1D0Fo 1D1Cu "
    "1D20v 1D21w 1D22z A731s 01C0l "
    # The full stop of East Asian text, which separates labels as well (UTS 46 section 2.3)
    "3002."
)
_LOOKS_LIKE: Final = {int(pair[:4], 16): pair[4] for pair in _PAIRS.split()}
_SIMILAR_ASCII: Final = str.maketrans("01i|", "olll")
_SIMILAR_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))


def skeleton(text: str) -> str:
    """Reduce a text to what it looks like: equal skeletons are hard to tell apart (UTS 39 section 4).

    Only for comparison. Drops case, accents and invisible differences; `0` becomes `o`, `1` and
    `i` become `l`, `rn` becomes `m`.
    """
    seen = _plain_letters(text).lower().translate(_SIMILAR_ASCII)
    for pair, single in _SIMILAR_PAIRS:
        seen = seen.replace(pair, single)
    return seen


def alphabets_of(word: str) -> frozenset[str]:
    """Return the scripts of ALPHABETS that the letters of a word belong to."""
    return frozenset(filter(None, map(_alphabet, word)))


def is_disguised(word: str) -> bool:
    """Return whether a word of two alphabets passes for a word of one.

    It does if all its letters of one alphabet have twins in the other: a Cyrillic `a` in a Latin
    word, but not the `Δ` of `ΔT`.
    """
    found = alphabets_of(word)
    if len(found) < 2:
        return False
    foreign = [char for char in word if _alphabet(char) not in ("", "LATIN")]
    latin = [char for char in word if _alphabet(char) == "LATIN"]
    return all(ord(char) in _LOOKS_LIKE for char in foreign) or (
        0 < len(latin) < len(foreign) and all(char in _HAVE_TWINS for char in latin)
    )


def passes_for_ascii(label: str) -> bool:
    """Return whether a label without any ASCII letter looks like one of ASCII letters only."""
    letters = [char for char in label if _alphabet(char)]
    foreign = letters and not any(char.isascii() for char in letters)
    return (
        bool(foreign)
        and all(ord(char) in _LOOKS_LIKE for char in letters)
        and _plain_letters(label).isascii()
    )


def imitates_domain(domain: str, own: str) -> bool:
    """Return whether a decoded domain could be taken for another.

    It can if its registered part looks like the other's, or differs in one letter of a name of at
    least six; or if it has the other's registered part as labels (`corp.example.evil.example`) or as
    one (`corp-example.evil.example`). Another ending alone (`corp.org` for `corp.com`)
    is not an imitation: organisations own several. Neither is one mail provider of another.
    """
    real, given = organisation_of(own), organisation_of(domain)
    if real == given or not given or "." not in real or (is_provider(real) and is_provider(given)):
        return False
    name, _, ending = real.partition(".")
    other, _, other_ending = given.partition(".")
    if ending == other_ending and len(name) >= _EDITED_CHARS_MIN and _is_one_edit(name, other):
        return True
    labels = skeleton(domain).split(".")
    imitated = skeleton(real)
    return f".{imitated}." in f".{'.'.join(labels)}." or imitated.replace(".", "-") in labels


def imitates_address(address: str, own: str) -> bool:
    """Return whether an address of the owner's domain is not the owner's but looks like it."""
    local, _, domain = address.rpartition("@")
    own_local, _, own_domain = own.rpartition("@")
    here = domain.lower() == own_domain.lower() or same_organisation(domain, own_domain)
    return here and local.lower() != own_local.lower() and skeleton(local) == skeleton(own_local)


def _plain_letters(text: str) -> str:
    """Remove letter forms and marks, and replace letters with their ASCII twins."""
    marked = unicodedata.normalize("NFKD", text[:_CHARS_MAX])
    bare = "".join(char for char in marked if not unicodedata.combining(char))
    return bare.translate(_LOOKS_LIKE)


def _alphabet(char: str) -> str:
    name = unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""
    return name if name in ALPHABETS else ""


def _is_one_edit(one: str, other: str) -> bool:
    """Return whether one letter was changed, added or dropped, or two neighbours were swapped."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    rest, other_rest = one[same:], other[same:]
    swapped = rest[1:2] + rest[:1] + rest[2:] == other_rest
    return swapped or other_rest in (rest[1:], f"{other_rest[:1]}{rest[1:]}") or rest == other_rest[1:]


_HAVE_TWINS: Final = frozenset(_LOOKS_LIKE.values())
