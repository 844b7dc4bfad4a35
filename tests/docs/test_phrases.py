"""Code, messages and docs use plain English: none of these phrases."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXTS = [
    *sorted((ROOT / "src").rglob("*.py")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config.example.toml")),
]
PHRASES = {
    r"is none of (?!these|them|those)": "isn't one of",
    r"(?<![Tt]here )\b(?:is|are|be) none\b(?! of)": "isn't one",
    r"\b(?:could|can|cannot|to) be had\b": "available, can be read",
    r"\bnot had\b": "missing, not read",
    r"\bcannot stand\b": "can't be combined with",
    r"\bstand(?:s|ing)? beside\b": "is next to",
    r"\bstands in the\b": "is in",
    r"\btaken out\b": "removed",
    r"\bh[eo]ld against\b": "compared with, checked against",
    r"\bis dear\b|\bis_dear\b": "is expensive",
    r"\bat most one is meant\b": "only one may match",
    r"\bas it stood\b": "as it was",
    r"\bnothing is said\b": "there is no warning",
    r"\bsuch as it is\b": "as it is",
    r"\bleft to be verified\b": "still unverified",
    r"\banew\b": "again",
    r"\bfor ever\b": "forever",
    r"\bearns? (?:a|an|the)\b": "causes, gets",
    r"\bmost seconds\b": "time limit, how long to wait",
    r"\bmust bear\b": "must send",
    r"\baffair\b": "depends on",
    r"\bno part of\b": "not part of",
    r"\bthat is no (?!longer|more|less|\w+er\b)": "that is not a",
    r"\bheeds?\b": "reads, uses",
    r"\bsaid to be\b": "is",
    r"\bis said only\b": "appears only",
    r"\bnobody named\b": "unnamed",
    r"\bwithout distance\b": "without network delay",
    r"\b(?:cannot|can't) be right\b": "invalid",
    r"\bas it stands there\b": "as shown",
    r"\btells? every mistake\b": "reports every mistake",
}
FUNCTION = re.compile(
    r'^( *)(@property\n(?: *@\w+\n)*\1)?(?:async )?def [^"#]*?:\n'
    r'\1    r?"""(Tell|Say|Give|Whether|Make sure)\b',
    re.MULTILINE,
)


def test_no_text_uses_a_phrase_of_the_list() -> None:
    found = []
    for path in TEXTS:
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            found += [
                f"{path.relative_to(ROOT)}:{number}: write {better!r}: {line.strip()}"
                for phrase, better in PHRASES.items()
                if re.search(phrase, line)
            ]
    assert found == []


def test_docstrings_of_functions_begin_with_what_they_do() -> None:
    """Return, find, parse …: not what they tell. "Whether" is for attributes, which properties are too."""
    found = []
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        found += [
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.end()) + 1}: {match[3]}"
            for match in FUNCTION.finditer(text)
            if not (match[2] and match[3] == "Whether")
        ]
    assert found == []
