import pytest

from mailmcp.mail.trust.link import Link, LinkKind, parse_link, same_site


@pytest.mark.parametrize(
    ("href", "target", "host"),
    [
        ("https://x.example/p?q=1#f", "https://x.example/p?q=1#f", "x.example"),
        ("https://256.1/", "https://256.1/", "256.1"),
        ("https://x.ex\u200bample/", "https://x.example/", "x.example"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("https://\uff58.example/", "https://x.example/", "x.example"),
    ],
)
def test_a_page_is_read_as_browsers_do(href: str, target: str, host: str) -> None:
    assert parse_link(href) == Link(kind=LinkKind.WEB, target=target, host=host)


@pytest.mark.parametrize(
    ("href", "target", "host"),
    [
        ("https://bank.example@evil.test/", "https://evil.test/", "evil.test"),
        ("https://bank.example:secret@evil.test/x", "https://evil.test/x", "evil.test"),
        ("https://b\u0430nk.example/", "https://xn--bnk-6cd.example/", "xn--bnk-6cd.example"),
        ("https://xn--bnk-6cd.example/", "https://xn--bnk-6cd.example/", "xn--bnk-6cd.example"),
    ],
)
def test_a_target_that_disguises_its_host_is_known(href: str, target: str, host: str) -> None:
    assert parse_link(href) == Link(kind=LinkKind.WEB, target=target, host=host, disguised=True)


@pytest.mark.parametrize(
    ("href", "kind", "target", "host"),
    [
        ("mailto:a@b.example?subject=x", LinkKind.MAIL, "mailto:a@b.example", "b.example"),
        ("mailto:a", LinkKind.MAIL, "mailto:a", ""),
        (
            "mailto:a@b.example%0AWarning:%00 x",
            LinkKind.MAIL,
            "mailto:a@b.example%0AWarning:%00%20x",
            "b.example%20warning:%20x",
        ),
        ("mailto:\u0338ab@x.example", LinkKind.MAIL, "mailto:%CC%B8ab@x.example", "x.example"),
        ("mailto:a@\xadx.example", LinkKind.MAIL, "mailto:a@%C2%ADx.example", "x.example"),
        ("mailto:", LinkKind.NONE, "", ""),
        ("tel:+49 1", LinkKind.PHONE, "tel:+49%201", ""),
        ("tel:", LinkKind.NONE, "", ""),
        ("javascript:alert(1)", LinkKind.RUNS, "javascript:…", ""),
        ("file://x.example/share", LinkKind.OTHER, "file://x.example/share", ""),
        (
            "mailto:ann@b\u0430nk.example",
            LinkKind.MAIL,
            "mailto:ann@xn--bnk-6cd.example",
            "xn--bnk-6cd.example",
        ),
        ("https://", LinkKind.NONE, "", ""),
    ],
)
def test_other_targets(href: str, kind: LinkKind, target: str, host: str) -> None:
    assert parse_link(href) == Link(kind=kind, target=target, host=host)


@pytest.mark.parametrize(
    "href",
    [
        "mailto:a@b.example,c@d.example",
        "mailto:a@b.example?cc=c@d.example&subject=x",
        "mailto:a@b.example?BCC=c%40d.example",
        "mailto:a@b.example?%63c=c@d.example",
        "mailto:?to=a@b.example,%20c@d.example",
    ],
)
def test_all_recipients_count(href: str) -> None:
    link = parse_link(href)
    assert link.target == "mailto:a@b.example,c@d.example"
    assert (link.host, link.other_hosts) == ("b.example", ("d.example",))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x.example", "x.example", True),
        ("www.shop.example", "mail.shop.example", True),
        ("a.co.uk", "b.co.uk", False),
        ("192.0.2.1", "198.0.2.1", False),
    ],
)
def test_sites_are_compared_by_who_registered_them(one: str, other: str, *, same: bool) -> None:
    assert same_site(one, other) is same
