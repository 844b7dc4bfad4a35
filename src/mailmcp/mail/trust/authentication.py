"""What the receiving host found out about a sender: Authentication-Results (RFC 8601).

Anybody can write such a field, so those are believed that name a host the settings
trust, and only where that host put them: at the top, above what it received. A
trusted host must remove forgeries of its own name (RFC 8601 section 5); one that
does not can be lied about, and must not be in the settings. Nothing is verified here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.header.fields import Headers

NOT_KNOWN: Final = "not known"
UNKNOWN: Final = "unknown"

_METHODS: Final = ("spf", "dkim", "dmarc")
_RESULTS: Final = frozenset(
    {"pass", "fail", "softfail", "neutral", "none", "temperror", "permerror", "policy"}
)
_FIELD: Final = "authentication-results"
_FIELDS_MAX: Final = 16
"""Fields of one host that are read: it writes one for each of its filters."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|\\.|[();]|[^"\\();]++|\\')
_ID: Final = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s;"]+))(?:\s+(\d+))?\s*')
_RESULT: Final = re.compile(r"\s*([A-Za-z0-9-]+)(?:\s*/\s*\d+)?\s*=\s*([A-Za-z]+)")
_QUOTED_PAIR: Final = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Authentication:
    """What a trusted host says; `unknown` where it says nothing or no word of the RFC."""

    known: bool
    """Whether a trusted host said anything."""

    spf: str = UNKNOWN
    dkim: str = UNKNOWN
    """`pass` if any of the signatures is good: which of them speaks for the author is DMARC's question."""

    dmarc: str = UNKNOWN
    """Whether From is authentic: the one of the three that is about what people see."""

    text: str = NOT_KNOWN
    """As "spf=pass dkim=pass dmarc=fail", or "not known"."""


@dataclass(frozen=True, slots=True)
class _Said:
    """One result of one field."""

    method: str
    result: str
    of_envelope: bool
    """Whether it is about the sender of the SMTP envelope; SPF can be about a host's greeting too."""


def read_authentication(headers: Headers, trusted_authserv_ids: Sequence[str]) -> Authentication:
    """Read the results that a trusted host wrote into the header of a message.

    The topmost fields of trusted hosts count, down to the next Received field or
    the results of another host: what is below came from outside. For each method
    the first of them that reports it counts.

    Args:
        headers: The whole header block of the message, in its order.
        trusted_authserv_ids: Names of hosts, compared whole and without case. Empty
            trusts none. (Exchange Online writes no name, and cannot be trusted so.)
    """
    trusted = frozenset(name.strip().lower() for name in trusted_authserv_ids if name.strip())
    results: dict[str, str] = {}
    for said in _trusted_results(headers, trusted):
        for method in _METHODS:
            if method not in results and (result := _result_of(said, method)):
                results[method] = result
    if not results:
        return Authentication(known=False)
    found = {method: results.get(method, UNKNOWN) for method in _METHODS}
    return Authentication(
        known=True, **found, text=" ".join(f"{method}={found[method]}" for method in _METHODS)
    )


def _trusted_results(headers: Headers, trusted: frozenset[str]) -> Iterator[list[_Said]]:
    """Yield what the topmost run of trusted fields says, a list a field."""
    count = 0
    for field in headers.fields if trusted else ():
        name = field.name.lower()
        if count and name == "received":
            return
        if name != _FIELD:
            continue
        clauses = _clauses(field.raw)
        if _host(clauses[0]) in trusted:
            count += 1
            yield [said for clause in clauses[1:] for said in _read_result(clause)]
        elif count:
            return
        if count >= _FIELDS_MAX:
            return


def _clauses(value: str) -> list[str]:
    """Split a value at its semicolons, comments left out (they nest; RFC 5322 section 3.2.2)."""
    clauses: list[list[str]] = [[]]
    depth = 0
    for match in _TOKEN.finditer(value):
        piece = match.group()
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(depth - 1, 0)
        elif not depth and piece == ";":
            clauses.append([])
        elif not depth:
            clauses[-1].append(piece)
    return [" ".join(clause) for clause in clauses]


def _host(clause: str) -> str:
    """Give the authserv-id of the first clause; "" for another version of the format than 1."""
    match = _ID.fullmatch(clause)
    if match is None or match[3] not in (None, "1"):
        return ""
    return (_QUOTED_PAIR.sub(r"\1", match[1]) if match[1] is not None else match[2]).lower()


def _read_result(clause: str) -> Iterator[_Said]:
    match = _RESULT.match(clause)
    if match is not None:
        result = match[2].lower()
        yield _Said(
            method=match[1].lower(),
            result=result if result in _RESULTS else UNKNOWN,
            of_envelope="smtp.mailfrom" in clause.lower(),
        )


def _result_of(said: Sequence[_Said], method: str) -> str:
    """Choose the result of a method in one field; "" when it is not reported there."""
    found = [each for each in said if each.method == method]
    if method == "dkim" and any(each.result == "pass" for each in found):
        return "pass"
    if method == "spf":
        found.sort(key=lambda each: not each.of_envelope)
    return found[0].result if found else ""
