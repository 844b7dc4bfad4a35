"""What may have been meant by a search that found nothing: close spellings, and parts of the words.

There are two sources, asked in one burst (`imap.search.similar`). The server counts other spellings, and the
people and subjects of the newest messages are compared with what was searched for. Names among these are
strangers' words: they are offered only if they consist of letters, and quoted.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum, auto

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import parse_addresses
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.text.transliterate import sound, spellings, to_latin
from mailmcp.model.query import CRITERIA, Criterion, Kind

_WORD = re.compile(r"[^\W_]+")
_HARMLESS = re.compile(r"[^\W_][\w .,'@+-]*")
"""What an offer may consist of, besides what was searched for."""

_ASCII_PIECE = re.compile(r"[!-~]{3,}")
"""What is the same in most charsets: servers find it in mislabelled text, too."""

_PIECES_CHARS_MIN = 7
"""Fewer letters would be in too many messages."""

_FIELDS = frozenset({"From", "To", "Cc", "Subject"})
"""Those of the newest messages that are compared."""

_PART_CHARS_MIN = 4
"""Shorter words and parts of words are in too many messages."""

_CLOSE = 0.75
"""Similarity from which a word may be another spelling: "Stephany" and Stefania have 0.93 as they sound."""

_CLOSE_TOGETHER = 0.65
"""The same for one part of a name if all its parts are similar."""


class Closeness(IntEnum):
    """How likely an offer is what was meant."""

    PART = auto()
    """Some of the words, or one criterion less."""

    STEM = auto()
    """The beginning or end of a word, one part of a name, or all but the letters that charsets differ in."""

    SPELLING = auto()
    """All of it, spelled in another way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One argument to send instead."""

    argument: str
    text: str
    """Empty to leave the argument out."""

    closeness: Closeness
    count: int = 0
    """Messages that were seen to match, some of all."""


def searched_texts(arguments: Mapping[str, object]) -> Iterator[tuple[Criterion, str]]:
    """Yield the criteria that search for words or names, with what was sent, without quotes."""
    for row in CRITERIA:
        text = str(arguments.get(row.argument, "")).replace('"', " ").replace("\\", "")
        is_text = row.kind in {Kind.WORDS, Kind.PHRASE} and _FIELDS.issuperset(row.header_fields)
        if is_text and not row.negated and text.strip():
            yield row, " ".join(text.split())


def other_spellings(arguments: Mapping[str, object]) -> list[Offer]:
    """Return offers for the server to count: the likeliest other spellings, and one criterion less."""
    texts = list(searched_texts(arguments))
    offers = [offer for row, text in texts for offer in _rewritten(row, text)]
    likely = sorted(dict.fromkeys(offers), key=lambda each: each.closeness, reverse=True)
    fewer = [
        Offer(argument=row.argument, text="", closeness=Closeness.PART) for row, _ in texts[1:] and texts
    ]
    return likely[: limits.SPELLINGS_MAX - len(fewer)] + fewer


def _rewritten(row: Criterion, text: str) -> Iterator[Offer]:
    words = text.split()
    is_name = set(row.header_fields) & {"From", "To", "Cc"}

    def offer(words: Iterable[str], closeness: Closeness) -> Offer:
        return Offer(argument=row.argument, text=" ".join(words), closeness=closeness)

    for spelling in spellings(text):
        yield offer([spelling], Closeness.SPELLING)
    # The last word of a name is usually the rarest.
    for number in reversed(range(len(words))):
        word, others = words[number], [*words[:number], *words[number + 1 :]]
        if is_name:
            if others and len(word) >= _PART_CHARS_MIN:
                yield offer([word], Closeness.STEM)
            others, before, after = [], [], []
        else:
            before, after = words[:number], words[number + 1 :]
            if others and row.kind is Kind.WORDS:
                yield offer(others, Closeness.PART)
        length = max(len(word) * 2 // 3, _PART_CHARS_MIN)
        if word.isalpha() and length < len(word):
            yield offer([*before, word[:length], *after], Closeness.STEM)
            if is_name:
                yield offer([word[-length:]], Closeness.STEM)
    pieces = _ASCII_PIECE.findall(text)
    if row.kind is Kind.WORDS and not text.isascii() and sum(map(len, pieces)) >= _PIECES_CHARS_MIN:
        yield offer(pieces, Closeness.STEM)


def close_names(arguments: Mapping[str, object], headers: Sequence[bytes]) -> list[Offer]:
    """Return offers of names and words in header fields that are spelled nearly as what was searched for."""
    messages = [parse_headers(each[: limits.SPELLING_HEADER_OCTETS]) for each in headers]
    offers: list[Offer] = []
    for row, text in searched_texts(arguments):
        names = [name for name in ("From", "To", "Cc") if name in row.header_fields]
        if names:
            offers += _close_people(row, text, [_people(each, names) for each in messages])
        else:
            offers += _close_words(row, text, [_line(each, row) for each in messages])
    return offers


def _people(headers: Headers, names: Sequence[str]) -> list[str]:
    """Return names and addresses, each once, in their order: the first of equally close ones is offered."""
    found = (each for name in names for each in parse_addresses(*headers.raw_all(name)))
    texts = (text for each in found for text in (clean_line(each.name).text, each.address) if text)
    return list(dict.fromkeys(texts))


def _line(headers: Headers, row: Criterion) -> str:
    subject = clean_line(headers.get("Subject")).text
    if row.header_fields:
        return subject
    return " ".join([subject, *_people(headers, ("From", "To", "Cc"))])


def _close_people(row: Criterion, text: str, people: Sequence[Sequence[str]]) -> Iterator[Offer]:
    """Yield the names and addresses that are like a text, each with how many messages have it."""
    parts = [_likeness_to(each) for each in _WORD.findall(text)]
    if len(parts) > limits.SPELLING_WORDS_MAX:
        return
    counts = Counter(name for each in people for name in each)
    found: dict[str, tuple[float, int]] = {}
    for name, count in counts.items():
        span, likeness = _closest_span(parts, name)
        if span and to_latin(span) != to_latin(text):
            before, total = found.get(span, (0.0, 0))
            found[span] = max(before, likeness), total + count
    best = sorted(found.items(), key=lambda item: item[1], reverse=True)[: limits.SPELLING_SHOWN_MAX]
    for span, (_, count) in best:
        yield Offer(argument=row.argument, text=span, closeness=Closeness.SPELLING, count=count)


def _closest_span(parts: Sequence[Callable[[str], float]], name: str) -> tuple[str, float]:
    """Return the piece of a name in which each part has a word like it, and how alike they are.

    The piece is empty if some part has none.
    """
    words = list(_WORD.finditer(name))
    total = 0.0
    chosen: list[re.Match[str]] = []
    for part in parts:
        rest = [each for each in words if each not in chosen]
        likeness, _, best = max(
            ((part(each[0]), -each.start(), each) for each in rest), default=(0.0, 0, None)
        )
        if best is None or likeness < (_CLOSE_TOGETHER if len(parts) > 1 else _CLOSE):
            return "", 0.0
        chosen.append(best)
        total += likeness
    if not parts or total < _CLOSE * len(parts):
        return "", 0.0
    span = name[min(each.start() for each in chosen) : max(each.end() for each in chosen)]
    harmless = _HARMLESS.fullmatch(span) and len(span) <= limits.SPELLING_CHARS_MAX
    return (span, total / len(parts)) if harmless else ("", 0.0)


def _close_words(row: Criterion, text: str, lines: Sequence[str]) -> Iterator[Offer]:
    """Yield a text whose unknown words are replaced by the closest ones of some lines."""
    counts = Counter(word for line in lines for word in {each.lower() for each in _WORD.findall(line)})
    known = " ".join(map(to_latin, counts))
    words, seen = text.split(), len(lines)
    for number, word in enumerate(words[: limits.SPELLING_WORDS_MAX]):
        if not word.isalpha() or len(word) < _PART_CHARS_MIN or to_latin(word) in known:
            continue
        alike = _likeness_to(word)
        likely = [
            (likeness, count, other)
            for other, count in counts.items()
            if (likeness := alike(other)) >= _CLOSE
        ]
        if likely and len(best := max(likely)[2]) <= limits.SPELLING_CHARS_MAX:
            words[number] = best
            seen = min(seen, counts[best])
    if (changed := " ".join(words)) != text:
        yield Offer(argument=row.argument, text=changed, closeness=Closeness.SPELLING, count=seen)


def _likeness_to(word: str) -> Callable[[str], float]:
    """Return a function that compares words with this one, and how they sound; 1.0 is the same."""
    matchers = [(fold, SequenceMatcher(None, "", fold(word), autojunk=False)) for fold in (to_latin, sound)]

    def compare(other: str) -> float:
        shorter, longer = sorted((len(word), len(other)))
        too_long = longer - shorter > len(word) // 2 or longer > limits.SPELLING_CHARS_MAX
        if shorter < _PART_CHARS_MIN or too_long:
            return 1.0 if sound(word) == sound(other) else 0.0
        best = 0.0
        for fold, matcher in matchers:
            matcher.set_seq1(fold(other))
            limit = max(best, _CLOSE_TOGETHER)
            if matcher.real_quick_ratio() >= limit and matcher.quick_ratio() >= limit:
                best = max(best, matcher.ratio())
        return best

    return compare


def best_offers(counted: Iterable[Offer]) -> list[Offer]:
    """Return the offers that found something, the closest first, each once.

    Of the offers to leave an argument out, the one that finds least is the closest.
    """
    found: dict[tuple[str, str], Offer] = {}
    for each in counted:
        key = (each.argument, each.text.casefold())
        if each.count and (key not in found or found[key].closeness < each.closeness):
            found[key] = each

    def rank(offer: Offer) -> tuple[Closeness, int]:
        return offer.closeness, len(offer.text) or -offer.count

    return sorted(found.values(), key=rank, reverse=True)[: limits.SPELLING_SHOWN_MAX]
