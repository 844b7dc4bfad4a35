import pytest

from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.trust.authentication import NOT_KNOWN, read_authentication, usual_authserv_ids
from mailmcp.model.owner import Owner

HOST = "mx.corp.example"


def read(*lines: str, trusted: tuple[str, ...] = (HOST,)) -> str:
    block = "".join(f"{line}\r\n" for line in (*lines, "From: Ada <ada@x.example>", ""))
    return read_authentication(parse_headers(block.encode()), trusted)


def field(rest: str, host: str = HOST) -> str:
    return f"Authentication-Results: {host}; {rest}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            "spf=pass smtp.mailfrom=x.example; dkim=pass header.d=x.example; dmarc=fail",
            "spf=pass dkim=pass dmarc=fail",
        ),
        ("SPF=SoftFail; DKIM=Neutral; DMARC=TempError", "spf=softfail dkim=neutral dmarc=temperror"),
        # Several of one method.
        # Words that are not the RFC's.
        # Comments and quoted strings say nothing, whatever is in them.
        ("spf=fail (a (b; dmarc=pass) c; dmarc=pass); dkim=pass", "spf=fail dkim=pass dmarc=unknown"),
        ("spf=fail (never closed; dmarc=pass", "spf=fail dkim=unknown dmarc=unknown"),
        ("=?utf-8?Q?dmarc=3Dpass?=; spf=fail", "spf=fail dkim=unknown dmarc=unknown"),
        # Nothing said.
        ("arc=pass; iprev=pass", NOT_KNOWN),
    ],
)
def test_results_are_read(value: str, text: str) -> None:
    assert read(field(value)) == text


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("mx.corp.example", True),
        ("(by) mx.corp.example (a host)", True),
        ("mx.corp.example 2", False),
        ("evil.example (mx.corp.example)", False),
        ("mx.corp.example\x1c", False),
    ],
)
def test_only_a_trusted_host_is_believed(host: str, *, known: bool) -> None:
    assert (read(field("dmarc=pass", host)) != NOT_KNOWN) is known


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        # One host, a field for each of its filters.
        (
            ("A: 1", field("dkim=pass"), "DKIM-Filter: x", field("dmarc=pass")),
            "spf=unknown dkim=pass dmarc=pass",
        ),
        # Fields that contradict each other: fail over none over pass, in either order.
        ((field("dmarc=pass"), field("dmarc=fail")), "spf=unknown dkim=unknown dmarc=fail"),
        # What came with the message is below what its receiver wrote.
        (
            (field("spf=fail"), "Received: from evil", field("dmarc=pass")),
            "spf=fail dkim=unknown dmarc=unknown",
        ),
        (
            (field("spf=fail"), field("spf=pass", "x.example"), field("dmarc=pass")),
            "spf=fail dkim=unknown dmarc=unknown",
        ),
        ((*[field("arc=pass")] * 16, field("dmarc=pass")), NOT_KNOWN),
    ],
)
def test_only_fields_that_the_host_put_on_top_count(lines: tuple[str, ...], text: str) -> None:
    assert read(*lines) == text


@pytest.mark.parametrize(
    ("owner", "ids"),
    [
        (Owner(mail_server="imap.gmail.com", addresses=("ann@corp.example",)), ("mx.google.com",)),
        (Owner(mail_server="imap.gmx.net"), (".gmx.net",)),
        (Owner(mail_server="mail.corp.co.uk", addresses=("a@sub.own.org",)), (".corp.co.uk", ".own.org")),
        (Owner(mail_server="127.0.0.1"), ()),
    ],
)
def test_the_usual_ids_are_those_of_the_provider_or_of_the_domain(owner: Owner, ids: tuple[str, ...]) -> None:
    assert usual_authserv_ids(owner) == ids


@pytest.mark.parametrize(
    ("host", "known"),
    [("own.org", True), ("mx1.own.org", True), ("MX.OWN.ORG", True), ("evilown.org", False), ("org", False)],
)
def test_a_dot_trusts_all_hosts_of_a_domain(host: str, *, known: bool) -> None:
    headers = parse_headers(f"Authentication-Results: {host}; dmarc=pass\r\n\r\n".encode())
    assert (read_authentication(headers, [".own.org"]) != NOT_KNOWN) is known
