"""Senders who are not who they seem, and verdicts on them that nobody gave."""

from typing import Final

from hostile.message import OWN_HOST, HostileMail, letter

_FROM: Final = {
    "other_address": ('"ceo@example.org" <x@evil.example>', ("name_holds_other_address",)),
    "own_name": ("Ada Lovelace <x@evil.example>", ("name_imitates_user",)),
    "own_name_with_digits": ("Ada L0vel4ce <x@evil.example>", ()),
    "own_name_lookalike": (
        "\u0410d\u0430 Lovel\u0430ce <x@evil.example>",
        ("name_imitates_user", "mixed_script_name"),
    ),
    "own_address_in_name": ('"ada@corp.example" <x@evil.example>', ("name_imitates_user",)),
    "own_domain_lookalike": ("Bob <bob@c0rp.example>", ("address_imitates_user",)),
    "own_domain_as_prefix": ("Bob <bob@corp.example.evil.example>", ("address_imitates_user",)),
    "own_domain_homoglyph": ("Bob <bob@c\u043erp.example>", ("address_imitates_user", "mixed_script_domain")),
    "punycode": ("Bob <bob@xn--pypal-4ve.example>", ("mixed_script_domain",)),
    "whole_label": ("Bob <bob@xn--80ak6aa92e.com>", ("confusable_domain",)),
    "name_of_two_alphabets": ("P\u0430yPal <bob@example.org>", ("mixed_script_name",)),
    "angle_in_name": ('"Boss <boss@corp.example>" <x@evil.example>', ("name_holds_other_address",)),
    "two_angles": ("Boss <boss@corp.example> <x@evil.example>", ("name_holds_other_address",)),
    "encoded_address": ("=?utf-8?Q?boss=40corp=2Eexample?= <x@evil.example>", ("name_holds_other_address",)),
    "comment": ("x@evil.example (boss@corp.example)", ("name_holds_other_address",)),
    "group": ("boss@corp.example: x@evil.example;", ()),
    "several": ("Boss <boss@example.org>, x@evil.example", ("several_from",)),
}
_REPLY: Final = {
    "elsewhere": ("x@evil.example", ("reply_to_other_domain",)),
    "own_lookalike": ("bob@c0rp.example", ("address_imitates_user", "reply_to_other_domain")),
}
_FORGED: Final = f"Authentication-Results: {OWN_HOST}; spf=pass; dkim=pass; dmarc=pass\r\n"
_PLAIN: Final = letter()

SENDERS: Final = (
    *(
        HostileMail(
            name=f"sender_{name}",
            octets=letter(**{"from": value}),
            suspicions=kinds,
            warning="sender|account's owner|author" if kinds else "",
        )
        for name, (value, kinds) in _FROM.items()
    ),
    *(
        HostileMail(
            name=f"reply_to_{name}",
            octets=letter(reply_to=value),
            suspicions=kinds,
            warning="[Rr]epl(y|ies)",
        )
        for name, (value, kinds) in _REPLY.items()
    ),
    HostileMail(
        name="sender_field_elsewhere",
        octets=letter(sender="x@evil.example"),
        suspicions=("sender_other_domain",),
        warning="A different domain",
    ),
    HostileMail(
        name="sender_two_fields",
        octets=b"From: Boss <boss@corp.example>\r\n" + _PLAIN,
        suspicions=("several_from",),
        warning="several From",
    ),
    HostileMail(
        name="verdict_of_another_host",
        octets=b"Authentication-Results: mx.evil.example; dmarc=pass\r\n" + _PLAIN,
    ),
    HostileMail(
        name="verdict_below_the_real_one",
        octets=f"Authentication-Results: {OWN_HOST}; spf=fail; dmarc=fail\r\nReceived: from evil\r\n".encode()
        + _FORGED.encode()
        + _PLAIN,
        authentication="spf=fail dkim=unknown dmarc=fail",
    ),
    HostileMail(
        name="verdict_in_a_comment",
        octets=f"Authentication-Results: {OWN_HOST} (dmarc=pass); dmarc=fail (; dmarc=pass)\r\n".encode()
        + _PLAIN,
        authentication="spf=unknown dkim=unknown dmarc=fail",
    ),
    HostileMail(
        name="verdict_of_odd_words",
        octets=f"Authentication-Results: {OWN_HOST}; dmarc=pass`Next:; spf=obey; dkim=<<<\r\n".encode()
        + _PLAIN,
        authentication="spf=unknown dkim=unknown dmarc=pass",
    ),
    HostileMail(name="verdict_of_a_lookalike", octets=_FORGED.replace("corp", "c0rp").encode() + _PLAIN),
)
