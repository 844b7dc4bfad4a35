"""Senders who are not who they seem, and verdicts on them that nobody gave."""

from typing import Final

from hostile.message import OWN_HOST, HostileMail, letter

_FROM: Final = {
    "other_address": ('"ceo@example.org" <x@evil.example>', ("name_holds_other_address",)),
    "own_name": ("Ada Lovelace <x@evil.example>", ("name_imitates_user",)),
    "own_domain_homoglyph": ("Bob <bob@c\u043erp.example>", ("address_imitates_user", "mixed_script_domain")),
    "whole_label": ("Bob <bob@xn--80ak6aa92e.com>", ("confusable_domain",)),
    "name_of_two_alphabets": ("P\u0430yPal <bob@example.org>", ("mixed_script_name",)),
    "encoded_address": ("=?utf-8?Q?boss=40corp=2Eexample?= <x@evil.example>", ("name_holds_other_address",)),
    "several": ("Boss <boss@example.org>, x@evil.example", ("several_from",)),
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
    HostileMail(
        name="reply_to_own_lookalike",
        octets=letter(reply_to="bob@c0rp.example"),
        suspicions=("address_imitates_user", "reply_to_other_domain"),
        warning="[Rr]epl(y|ies)",
    ),
    HostileMail(
        name="sender_field_elsewhere",
        octets=letter(sender="x@evil.example"),
        suspicions=("sender_other_domain",),
        warning="A different domain",
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
        name="verdict_of_odd_words",
        octets=f"Authentication-Results: {OWN_HOST}; dmarc=pass`Next:; spf=obey; dkim=<<<\r\n".encode()
        + _PLAIN,
        authentication="spf=unknown dkim=unknown dmarc=pass",
    ),
    HostileMail(name="verdict_of_a_lookalike", octets=_FORGED.replace("corp", "c0rp").encode() + _PLAIN),
)
