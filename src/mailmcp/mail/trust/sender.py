"""Who a message says it is from, and what is suspicious about that.

Only the header fields themselves are checked, by a few exact rules: nobody reads warnings that come
with ordinary mail for long. A message without suspicions may still be forged. Whether a domain really
sent it is up to `mailmcp.mail.trust.authentication`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import Address, addresses_in, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.trust.domains import decode_domain, domain_of, is_provider, safe_domain, same_organisation
from mailmcp.mail.trust.lookalike import (
    alphabets_of,
    imitates_address,
    imitates_domain,
    is_disguised,
    passes_for_ascii,
    skeleton,
)

_SHOWN_FIELDS: Final = ("From", "To", "Cc", "Subject")
_ADDRESSES_MAX: Final = 100
"""More addresses of one field are not judged: one is the rule."""

_NAME_CHARS_MAX: Final = 500
_ADDRESS_IN_NAME: Final = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_WORD: Final = re.compile(r"[^\W_]+")


class Suspicion(NamedTuple):
    """One thing about the sender that ordinary mail does not have."""

    kind: str
    """Stable name of the rule."""

    message: str
    """One sentence. It quotes nothing of the message but domains, as `safe_domain` writes them."""


@dataclass(frozen=True, slots=True)
class _User:
    """The owner of the account, normalised for comparison."""

    addresses: tuple[str, ...]
    """Lower case, decoded domain, no subaddress."""

    names: frozenset[tuple[str, ...]]
    """Sorted words of the skeletons, so that `Lovelace, Ada` equals `Ada Lovelace`; and `AdaLovelace`."""

    def owns(self, address: str) -> bool:
        return _normalize(address) in self.addresses

    def shares_organisation(self, address: str) -> bool:
        return any(same_organisation(domain_of(address), domain_of(own)) for own in self.addresses)


def check_sender(
    headers: Headers, *, own_names: Sequence[str], own_addresses: Sequence[str]
) -> tuple[Suspicion, ...]:
    """List what is suspicious about the sender of a message: nothing, for most.

    The kinds, at most one of each, in this order:

    - `several_from`: From fields that differ, or several authors and no Sender
      (RFC 5322 section 3.6 allows neither), so programs show different senders.
    - `name_imitates_user`: the name is the user's, or holds the user's address, but the address
      belongs neither to the user nor to the user's organisation.
    - `name_holds_other_address`: the name shows someone else's address. One of the same
      organisation, or "via" in mail of a list, is ordinary.
    - `address_imitates_user`: the address, or its domain, looks like the user's.
    - `mixed_script_domain`, `confusable_domain`: a label mixes alphabets, or is in another one
      and looks like ASCII throughout.
    - `mixed_script_name`: a word of the name mixes alphabets to look like one.
    - `reply_to_other_domain`: replies go to another organisation, which is neither a recipient
      nor a list. Mass mail may direct them to its mailer.
    - `sender_other_domain`: another organisation sent it for the author, and it is not a list.

    Args:
        headers: Of the message; From, Sender, Reply-To, To, Cc and List-* are read.
        own_names: Of the account's owner; a single ASCII word is too common to compare.
        own_addresses: Of the account's owner. Without any, nothing can imitate them.
    """
    user = _User(
        addresses=tuple(_normalize(address) for address in own_addresses if "@" in address),
        names=frozenset(
            key
            for name in own_names
            if _is_distinctive(name)
            for form in (name, "".join(name.split()))
            for key in _name_keys(form)
        ),
    )
    authors = _addresses(headers, "From")
    found = [
        *_check_from(headers, authors),
        *(each for author in authors for each in _check_name(author, user, headers)),
        *(each for author in authors for each in _check_address(author, "sender", user)),
        *(each for other in _addresses(headers, "Sender") for each in _check_address(other, "sender", user)),
        *(each for other in _addresses(headers, "Reply-To") for each in _check_address(other, "reply", user)),
        *(each for author in authors for each in _check_spelling(author)),
        *_check_reply_to(headers, authors, user),
        *_check_sender_field(headers, authors),
    ]
    first: dict[str, Suspicion] = {}
    for each in found:
        first.setdefault(each.kind, each)
    return tuple(first.values())


def count_invisible(headers: Headers) -> int:
    """Count the invisible characters in From, To, Cc and Subject, which are removed before they are shown."""
    return sum(clean_line(value).removed for name in _SHOWN_FIELDS for value in headers.get_all(name))


def _check_from(headers: Headers, authors: Sequence[Address]) -> Iterator[Suspicion]:
    if len(set(headers.raw_all("From"))) > 1:
        yield Suspicion(
            "several_from", "The message has several From fields; programs differ in which one they show."
        )
    elif len(authors) > 1 and not _addresses(headers, "Sender"):
        yield Suspicion(
            "several_from", "The message names several authors but no sender, which the rules forbid."
        )


def _check_name(author: Address, user: _User, headers: Headers) -> Iterator[Suspicion]:
    name = unicodedata.normalize("NFKC", author.name[:_NAME_CHARS_MAX]).replace("\u3002", ".")
    named = [_normalize(address) for address in _ADDRESS_IN_NAME.findall(name)]
    strange = bool(user.addresses) and not (
        user.owns(author.address) or user.shares_organisation(author.address)
    )
    if strange and (not _name_keys(name).isdisjoint(user.names) or any(map(user.owns, named))):
        yield Suspicion(
            "name_imitates_user",
            f"The sender has the account owner's name but not their address ({_where(author)}).",
        )
    elif any(
        _normalize(author.address) != address
        and not same_organisation(domain_of(address), domain_of(author.address))
        for address in named
    ) and not (" via " in name and _is_list(headers)):
        yield Suspicion(
            "name_holds_other_address",
            f"The sender's name shows an address other than the sender's own ({_where(author)}).",
        )


def _check_address(address: Address, role: str, user: _User) -> Iterator[Suspicion]:
    domain = domain_of(address.address)
    whose = "sender's address" if role == "sender" else "reply address"
    if not user.owns(address.address) and any(
        imitates_domain(domain, domain_of(own)) or imitates_address(_normalize(address.address), own)
        for own in user.addresses
    ):
        yield Suspicion(
            "address_imitates_user",
            f"The {whose} looks like the account owner's, but is not ({_where(address)}).",
        )
    if any(len(alphabets_of(label)) > 1 for label in domain.split(".")):
        yield Suspicion(
            "mixed_script_domain", f"The domain of the {whose} mixes several alphabets ({_where(address)})."
        )
    elif domain.rpartition(".")[2].isascii() and any(map(passes_for_ascii, domain.split("."))):
        yield Suspicion(
            "confusable_domain",
            f"The domain of the {whose} looks like ASCII, but is not ({_where(address)}).",
        )


def _check_spelling(author: Address) -> Iterator[Suspicion]:
    if any(map(is_disguised, _WORD.findall(author.name[:_NAME_CHARS_MAX]))):
        yield Suspicion(
            "mixed_script_name", "The sender's name mixes look-alike letters of several alphabets."
        )


def _check_reply_to(headers: Headers, authors: Sequence[Address], user: _User) -> Iterator[Suspicion]:
    expected = [domain_of(each.address) for each in authors] + _list_domains(headers)
    recipients = set(map(_normalize, addresses_in(headers, "To", "Cc")))
    mass = bool(headers.get("List-Unsubscribe"))
    for answer in _addresses(headers, "Reply-To"):
        domain = domain_of(answer.address)
        known = _normalize(answer.address) in recipients or user.owns(answer.address)
        if not domain or known or not authors or _is_expected(domain, expected):
            continue
        if mass and not is_provider(domain):
            continue
        yield Suspicion(
            "reply_to_other_domain",
            f"Replies would go to a different domain from the sender's ({safe_domain(domain)}).",
        )


def _check_sender_field(headers: Headers, authors: Sequence[Address]) -> Iterator[Suspicion]:
    expected = [domain_of(each.address) for each in authors]
    for sender in _addresses(headers, "Sender"):
        domain = domain_of(sender.address)
        if domain and authors and not _is_list(headers) and not _is_expected(domain, expected):
            yield Suspicion(
                "sender_other_domain",
                f"A different domain from the author's sent the message ({safe_domain(domain)}).",
            )


def _addresses(headers: Headers, name: str) -> tuple[Address, ...]:
    found = (each for each in parse_addresses(*headers.raw_all(name)) if each.address)
    return tuple(islice(dict.fromkeys(found), _ADDRESSES_MAX))


def _where(address: Address) -> str:
    return safe_domain(domain_of(address.address)) or "no domain"


def _normalize(address: str) -> str:
    local, _, _ = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain_of(address)}"


def _is_distinctive(name: str) -> bool:
    return len(_WORD.findall(name)) > 1 or not name.isascii()


def _name_keys(name: str) -> frozenset[tuple[str, ...]]:
    """Return the sorted words of a name, read in two ways: signs separate words, or stand for letters."""
    apart = sorted(skeleton(word) for word in _WORD.findall(name))
    return frozenset({tuple(apart), tuple(sorted(_WORD.findall(skeleton(name))))})


def _is_expected(domain: str, expected: Sequence[str]) -> bool:
    return any(domain == each or same_organisation(domain, each) for each in expected)


def _is_list(headers: Headers) -> bool:
    return any(headers.get(name) for name in ("List-Id", "List-Post", "List-Unsubscribe"))


def _list_domains(headers: Headers) -> list[str]:
    fields = (headers.get("List-Id"), headers.get("List-Post"))
    return [
        decode_domain(re.split(r"[<@]", value)[-1].partition(">")[0].strip()) for value in fields if value
    ]
