"""What the receiving host found out about a sender: Authentication-Results (RFC 8601).

Anybody can write such a field. So only fields that name a trusted host are believed, and only the topmost
run of them. Such a host must remove forgeries of its own name (RFC 8601 section 5). Nothing is verified here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from mailmcp.mail.header.fields import Headers
from mailmcp.mail.trust.domains import decode_domain, domain_of, is_provider, organisation_of, to_ascii
from mailmcp.model.mail_provider import provider_of_host
from mailmcp.model.owner import Owner

NOT_KNOWN: Final = "not known"
UNKNOWN: Final = "unknown"

_METHODS: Final = ("spf", "dkim", "dmarc")
_WORST_FIRST: Final = (
    *("fail", "softfail", "policy", "permerror", "temperror", UNKNOWN, "neutral", "none", "pass"),
)
"""The results of RFC 8601 section 2.7; `unknown` is any other word."""

_DOMAIN: Final = re.compile(r"[^.:\[\]]+(\.[^.:\[\]]+)*\.[^.:\[\]\d]+")
"""A domain of several labels, and no IP address."""

_FIELD: Final = "authentication-results"
_FIELDS_MAX: Final = 16
"""Fields of one host that are read: it writes one for each of its filters."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|\\.|[();]|[^"\\();]++|\\')
_ID: Final = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s;"]+))(?:\s+(\d+))?\s*')
_RESULT: Final = re.compile(r"\s*([A-Za-z0-9-]+)(?:\s*/\s*\d+)?\s*=\s*([A-Za-z]+)")
_QUOTED_PAIR: Final = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class _Result:
    """One result in one field."""

    method: str
    result: str
    of_envelope: bool
    """Whether it is about the sender of the SMTP envelope; SPF can also be about a host's greeting."""


def usual_authserv_ids(owner: Owner) -> tuple[str, ...]:
    """Return the hosts that are likely to write the results of an owner's mail.

    Those of a known provider; otherwise every host under the registered domain of the IMAP server, or of an
    address of the owner's, unless anybody can have an address there.
    """
    provider = provider_of_host(owner.mail_server)
    if provider is not None and provider.authserv_ids:
        return provider.authserv_ids
    domains = [decode_domain(owner.mail_server)]
    if provider is None:
        domains += [domain for address in owner.addresses if not is_provider(domain := domain_of(address))]
    return tuple(
        dict.fromkeys(f".{to_ascii(organisation_of(each))}" for each in domains if _DOMAIN.fullmatch(each))
    )


def read_authentication(headers: Headers, trusted_authserv_ids: Sequence[str]) -> str:
    """Read the results that a trusted host wrote into the header of a message.

    The topmost fields of trusted hosts count, down to the next Received field or the results of
    another host: what is below came from outside. If they contradict each other, the worst counts.

    Args:
        headers: The whole header block of the message, in its order.
        trusted_authserv_ids: Names of hosts, compared whole and ignoring case; `.example.com` is that domain
            and every host under it. Empty trusts none. (Exchange Online writes no name, so it can't be
            trusted this way.)

    Returns:
        "spf=pass dkim=pass dmarc=fail", or "not known". `dkim=pass` means that any of the signatures
        is good: which of them speaks for the author is up to DMARC. DMARC alone is about From, which
        people see. `unknown` means no result, or a word that isn't in the RFC.
    """
    trusted = frozenset(name.strip().lower() for name in trusted_authserv_ids if name.strip())
    fields = list(islice(_trusted_results(headers, trusted), _FIELDS_MAX))
    found: dict[str, str] = {}
    for method in _METHODS:
        results = [result for results in fields if (result := _result_of(results, method))]
        if results:
            found[method] = min(results, key=_WORST_FIRST.index)
    if not found:
        return NOT_KNOWN
    return " ".join(f"{method}={found.get(method, UNKNOWN)}" for method in _METHODS)


def _trusted_results(headers: Headers, trusted: frozenset[str]) -> Iterator[list[_Result]]:
    """Yield the results in the topmost run of trusted fields, a list for each field."""
    count = 0
    for field in headers.fields if trusted else ():
        name = field.name.lower()
        if count and name == "received":
            return
        if name != _FIELD:
            continue
        clauses = _clauses(field.raw)
        if _is_trusted(_host(clauses[0]), trusted):
            count += 1
            yield [
                _Result(match[1].lower(), match[2].lower(), "smtp.mailfrom" in clause.lower())
                for clause in clauses[1:]
                if (match := _RESULT.match(clause)) is not None
            ]
        elif count:
            return


def _is_trusted(host: str, trusted: frozenset[str]) -> bool:
    return host in trusted or any(each[:1] == "." and f".{host}".endswith(each) for each in trusted)


def _clauses(value: str) -> list[str]:
    """Split a value at its semicolons, without comments, which nest (RFC 5322 section 3.2.2).

    A comment that isn't closed hides the rest, as it does from whoever wrote the field.
    """
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
    """Return the authserv-id in the first clause; "" for a version of the format other than 1.

    One with characters beyond ASCII doesn't count: programs read some of them as spaces or ASCII letters,
    and the host wouldn't remove a field that a sender wrote in such a name (RFC 8601 section 5).
    """
    match = _ID.fullmatch(clause) if clause.isascii() else None
    if match is None or match[3] not in (None, "1"):
        return ""
    return (_QUOTED_PAIR.sub(r"\1", match[1]) if match[1] is not None else match[2]).lower()


def _result_of(results: Sequence[_Result], method: str) -> str:
    """Choose the result of a method in one field; "" if the field doesn't report it."""
    found = [each for each in results if each.method == method]
    if method == "spf":
        found = [each for each in found if each.of_envelope] or found
    known = [each.result if each.result in _WORST_FIRST else UNKNOWN for each in found]
    if method == "dkim" and "pass" in known:
        return "pass"
    return min(known, key=_WORST_FIRST.index, default="")
