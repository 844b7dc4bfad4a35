import pytest

from mailmcp.mail.header.address import Address, format_address, parse_addresses
from steps import assert_linear


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", []),
        (" , ,, ", []),
        ("a@b.example", [("", "a@b.example")]),
        ("Ada <a@b>, Ben <c@d>", [("Ada", "a@b"), ("Ben", "c@d")]),
        ("J. R. Hartley <a@b>", [("J. R. Hartley", "a@b")]),
        ("Ada <a@b> (work)", [("Ada", "a@b")]),
        ('"=?utf-8?Q?J=C3=BCrgen?=" <j@d>', [("Jürgen", "j@d")]),
        ("x <y@[192.0.2.1]>", [("x", "y@[192.0.2.1]")]),
        # Groups.
        ("Crew: a@b, Ben <c@d>;, e@f", [("", "a@b"), ("Ben", "c@d"), ("", "e@f")]),
        ("Crew: a@b; (the end: of; it), e@f", [("", "a@b"), ("", "e@f")]),
        ("Nobody: (that I know);", [("Nobody", "")]),
        # Comments between any two tokens (RFC 5322 appendix A.5).
        ("Pete <pete(at > work (now))@silly.test>, b@c", [("Pete", "pete@silly.test"), ("", "b@c")]),
        ('<"a(b)c"@d>', [("", '"a(b)c"@d')]),
        # Broken ones are name text.
        ("root", [("root", "")]),
        ("<58>, <Warning:>", [("<58>", ""), ("<Warning:>", "")]),
        ("Ada <a@b", [("Ada", "a@b")]),
        # What isn't closed goes to the end.
        ("Ada <a(@b>, c@d", [("Ada <a(@b>, c@d", "")]),
        ('"unclosed', [("unclosed", "")]),
        ("(unclosed", [("unclosed", "")]),
        # Nothing that is decoded is syntax.
        ("=?utf-8?Q?ceo=40corp?=", [("ceo@corp", "")]),
        # What isn't seen whole could be another address.
        ("Ada <a@b\u200b>", [("Ada <a@b>", "")]),
        ("Ada <\u00a0a@b>", [("Ada < a@b>", "")]),
        ("\u2800a@b", [("a@b", "")]),
        ("Ada <\0a@b>", [("Ada < a@b>", "")]),
        # No mark within a quoted string or a comment ends an address.
        ('Al <"B <b@c>"@d>, e@f', [("Al", '"B <b@c>"@d'), ("", "e@f")]),
        (f'Al <"{"x" * 200}<b@c>"@d>', [("Al", f'"{"x" * 200}<b@c>"@d')]),
        ("Al <((((<b@c>))))a@d>", [("Al", "a@d")]),
        ('x!", B <b@c>, "@d', [("x!, B <b@c>, @d", "")]),
        ("Al <\u0338a@b>", [("Al <\u0338a@b>", "")]),
        ('Al [x, "B] <b@c>, y"@d', [("Al [x", ""), ("", '"B] <b@c>, y"@d')]),
        ("a@[IPv6:2001:db8::1]", [("", "a@[IPv6:2001:db8::1]")]),
    ],
)
def test_addresses_are_read_before_names_are_decoded(value: str, expected: list[tuple[str, str]]) -> None:
    assert [(each.name, each.address) for each in parse_addresses(value)] == expected


@pytest.mark.parametrize(
    ("name", "address", "written"),
    [
        ("", "a@b", "a@b"),
        ("Ada", "a@b", "Ada <a@b>"),
        ("undisclosed-recipients", "", "undisclosed-recipients"),
        ("Boss, <ceo@corp>", "crook@bad", '"Boss, <ceo@corp>" <crook@bad>'),
        ("ceo@corp", "", '"ceo@corp"'),
        ('say "hi"', "a@b", r'"say \"hi\"" <a@b>'),
        ("J. Hartley", "a@b", "J. Hartley <a@b>"),
        # A client may normalize text.
        *(
            (name, "a@b", f'"{name}" <a@b>')
            for name in (
                "Bob\u037e Al",
                "Bob \uff08declined\uff09",
                "\uff02Bob\uff02",
                "Bob\uff0c Al",
                "Bob \u2985a\u2986",
            )
        ),
        # Nor does one without an address pass for a count, or for what ends a cut list.
        *((name, "", f'"{name}"') for name in ("\u2026", "...", "\u22ef")),
        *((name, "", f'"{name}"') for name in ("58 more", "+58 more", "58 m\u043ere", "over \u0665 others")),
        *(("", local, f'"{local}"') for local in ("+58", "58_more", "and58more")),
        ("", "root", "root"),
    ],
)
def test_a_formatted_name_does_not_pass_for_an_address(name: str, address: str, written: str) -> None:
    assert format_address(Address(name=name, address=address)) == written


@pytest.mark.parametrize(
    "text", ["<", "(", '"', "(a", "a,", ":;", "[", '"\\', "<a@b> ", "<\\(", "<(()", "<a@[", "@["]
)
def test_time_is_linear(text: str) -> None:
    def parse(size: int) -> tuple[Address, ...]:
        return tuple(parse_addresses("<" + text * (size // len(text))))

    addresses = assert_linear(parse, size=500, large=262_144)
    assert all(each.name or each.address for each in addresses)
