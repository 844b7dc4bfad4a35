"""Who says that they wrote a message, and what about that is suspicious.

Only what the header fields themselves show is judged, by few and exact rules: a
warning that comes with ordinary mail is not read for long. That nothing is suspicious
says nothing: whether a domain sent a message is for `mailmcp.mail.trust.authentication`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import Address, parse_addresses
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
_ADDRESSES_MAX: Final = 8
"""More authors of one message are not looked at: one is the rule."""

_NAME_CHARS_MAX: Final = 500
_ADDRESS_IN_NAME: Final = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """One thing about the sender that ordinary mail does not have."""

    kind: str
    """Stable name of the rule."""

    message: str
    """One sentence; of the message it quotes nothing but domains, in `safe_domain`'s form."""


@dataclass(frozen=True, slots=True)
class _User:
    """The owner of the account, prepared for comparison."""

    addresses: tuple[str, ...]
    """Normal form: lower case, decoded domain, no subaddress."""

    names: frozenset[tuple[str, ...]]
    """Sorted words of skeletons, so that `Lovelace, Ada` is `Ada Lovelace`."""

    def owns(self, address: str) -> bool:
        return _normal(address) in self.addresses

    def shares_organisation(self, address: str) -> bool:
        return any(same_organisation(domain_of(address), domain_of(own)) for own in self.addresses)


def check_sender(
    headers: Headers, *, own_names: Sequence[str], own_addresses: Sequence[str]
) -> tuple[Suspicion, ...]:
    """List what is suspicious about the sender of a message; most messages have nothing.

    The kinds, each once, in their order:

    - `several_from`: From fields that differ, or several authors and no Sender
      (RFC 5322 section 3.6 allows neither), so programs show different senders.
    - `name_imitates_user`: the name is the user's, or holds the user's address, and the
      address is neither the user's nor of the user's organisation.
    - `name_holds_other_address`: the name shows an address of others. Of the same
      organisation, or with "via" in mail of a list, that is ordinary.
    - `address_imitates_user`: an address that looks like the user's, or whose domain does.
    - `mixed_script_domain`, `confusable_domain`: a label mixes alphabets, or is of
      another one and looks like ASCII throughout.
    - `mixed_script_name`: a word of the name mixes alphabets to look like one.
    - `reply_to_other_domain`: answers go to another organisation, which is neither a
      recipient nor a list; mass mail may send them to its mailer.
    - `sender_other_domain`: another organisation sent it for the author, and it is no list.

    Args:
        headers: Of the message; From, Sender, Reply-To, To, Cc and List-* are looked at.
        own_names: Of the account's owner; a single short word is too common to be compared.
        own_addresses: Of the account's owner. Without any, nothing is an imitation of them.
    """
    user = _User(
        addresses=tuple(_normal(address) for address in own_addresses if "@" in address),
        names=frozenset(_name_key(name) for name in own_names if _is_telling(name)),
    )
    authors = _addresses(headers, "From")
    found = [
        *_judge_number(headers, authors),
        *(each for author in authors for each in _judge_name(author, user, headers)),
        *(each for author in authors for each in _judge_address(author, "sender", user)),
        *(each for other in _addresses(headers, "Sender") for each in _judge_address(other, "sender", user)),
        *(each for other in _addresses(headers, "Reply-To") for each in _judge_address(other, "reply", user)),
        *(each for author in authors for each in _judge_spelling(author)),
        *_judge_reply_to(headers, authors, user),
        *_judge_sender_field(headers, authors),
    ]
    first: dict[str, Suspicion] = {}
    for each in found:
        first.setdefault(each.kind, each)
    return tuple(first.values())


def count_invisible(headers: Headers) -> int:
    """Count the invisible characters that are taken out of From, To, Cc and Subject to show them."""
    return sum(clean_line(value).removed for name in _SHOWN_FIELDS for value in headers.get_all(name))


def _judge_number(headers: Headers, authors: Sequence[Address]) -> Iterator[Suspicion]:
    if len(set(headers.raw_all("From"))) > 1:
        yield Suspicion(
            kind="several_from",
            message="The message has several From fields; programs differ in which they show.",
        )
    elif len(authors) > 1 and not _addresses(headers, "Sender"):
        yield Suspicion(
            kind="several_from",
            message="The message names several authors and, against the rules, no sender.",
        )


def _judge_name(author: Address, user: _User, headers: Headers) -> Iterator[Suspicion]:
    name = unicodedata.normalize("NFKC", author.name[:_NAME_CHARS_MAX])
    named = [_normal(address) for address in _ADDRESS_IN_NAME.findall(name)]
    strange = bool(user.addresses) and not (
        user.owns(author.address) or user.shares_organisation(author.address)
    )
    where = safe_domain(domain_of(author.address)) or "no domain"
    if strange and (_name_key(name) in user.names or any(map(user.owns, named))):
        yield Suspicion(
            kind="name_imitates_user",
            message=f"The sender has the name of the account's owner, but no address of theirs ({where}).",
        )
    elif any(_is_other(address, author.address) for address in named) and not (
        " via " in name and _is_list(headers)
    ):
        yield Suspicion(
            kind="name_holds_other_address",
            message=f"The sender's name shows another address than the one the message is from ({where}).",
        )


def _judge_address(address: Address, role: str, user: _User) -> Iterator[Suspicion]:
    domain = domain_of(address.address)
    whose = "sender's address" if role == "sender" else "address for answers"
    where = safe_domain(domain)
    if not user.owns(address.address) and any(
        imitates_domain(domain, domain_of(own)) or imitates_address(_normal(address.address), own)
        for own in user.addresses
    ):
        yield Suspicion(
            kind="address_imitates_user",
            message=f"The {whose} looks like one of the account's owner, but is not ({where}).",
        )
    if any(len(alphabets_of(label)) > 1 for label in domain.split(".")):
        yield Suspicion(
            kind="mixed_script_domain",
            message=f"The domain of the {whose} mixes letters of several alphabets ({where}).",
        )
    elif domain.rpartition(".")[2].isascii() and any(map(passes_for_ascii, domain.split("."))):
        yield Suspicion(
            kind="confusable_domain",
            message=f"The domain of the {whose} looks like ASCII, but is in other letters ({where}).",
        )


def _judge_spelling(author: Address) -> Iterator[Suspicion]:
    if any(map(is_disguised, _WORD.findall(author.name[:_NAME_CHARS_MAX]))):
        yield Suspicion(
            kind="mixed_script_name",
            message="The sender's name mixes letters of several alphabets that look alike.",
        )


def _judge_reply_to(headers: Headers, authors: Sequence[Address], user: _User) -> Iterator[Suspicion]:
    expected = [domain_of(each.address) for each in authors] + _list_domains(headers)
    recipients = {_normal(each.address) for name in ("To", "Cc") for each in _addresses(headers, name)}
    mass = bool(headers.get("List-Unsubscribe"))
    for answer in _addresses(headers, "Reply-To"):
        domain = domain_of(answer.address)
        known = _normal(answer.address) in recipients or user.owns(answer.address)
        if not domain or known or not authors or _is_expected(domain, expected):
            continue
        if mass and not is_provider(domain):
            continue
        yield Suspicion(
            kind="reply_to_other_domain",
            message=f"Answers would go to another domain than the sender's ({safe_domain(domain)}).",
        )


def _judge_sender_field(headers: Headers, authors: Sequence[Address]) -> Iterator[Suspicion]:
    expected = [domain_of(each.address) for each in authors]
    for sender in _addresses(headers, "Sender"):
        domain = domain_of(sender.address)
        if domain and authors and not _is_list(headers) and not _is_expected(domain, expected):
            yield Suspicion(
                kind="sender_other_domain",
                message=f"Another domain than the author's sent the message ({safe_domain(domain)}).",
            )


def _addresses(headers: Headers, name: str) -> tuple[Address, ...]:
    found = (each for each in parse_addresses(*headers.raw_all(name)) if each.address)
    return tuple(islice(dict.fromkeys(found), _ADDRESSES_MAX))


def _normal(address: str) -> str:
    local, _, _ = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain_of(address)}"


def _is_telling(name: str) -> bool:
    return len(_WORD.findall(name)) > 1 or not name.isascii()


def _name_key(name: str) -> tuple[str, ...]:
    return tuple(sorted(_WORD.findall(skeleton(name))))


def _is_other(named: str, address: str) -> bool:
    same = _normal(address) == named or same_organisation(domain_of(named), domain_of(address))
    return not same


def _is_expected(domain: str, expected: Sequence[str]) -> bool:
    return any(domain == each or same_organisation(domain, each) for each in expected)


def _is_list(headers: Headers) -> bool:
    return any(headers.get(name) for name in ("List-Id", "List-Post", "List-Unsubscribe"))


def _list_domains(headers: Headers) -> list[str]:
    fields = (headers.get("List-Id"), headers.get("List-Post"))
    return [
        decode_domain(re.split(r"[<@]", value)[-1].partition(">")[0].strip()) for value in fields if value
    ]
