"""URIs go out and come back unchanged, whatever the mailbox is called; nothing else is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.uri_template import UriTemplate

from mailmcp import limits
from mailmcp.model.message_ref import UINT32_MAX, MessageRef
from mailmcp.model.resource_uri import (
    ATTACHMENT_TEMPLATE,
    MESSAGE_TEMPLATE,
    RAW_TEMPLATE,
    URI_CHARS_MAX,
    ResourceKind,
    ResourceUri,
    format_mailboxes_uri,
    parse_resource_uri,
)
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

numbers = st.integers(min_value=1, max_value=UINT32_MAX)
mailboxes = st.text(
    st.characters(blacklist_characters="\r\n\0", blacklist_categories=["Cs"]), min_size=1, max_size=60
)

AWKWARD = [
    "INBOX",
    "Projects/2026",
    "100%",
    "%2F",
    "..",
    ".",
    "../../etc",
    "/",
    "a/message/1/2",
    "Entwürfe",
    "日本語",
    "two  spaces ",
    "C:x:1:2",
    "?a=b&c#d",
    "[Gmail]/All Mail",
    "+",
    "tab\there",
    "👩🏽‍🚀",
]


def make_ref(mailbox: str = "INBOX", uidvalidity: int = 1700000000, uid: int = 42) -> MessageRef:
    return MessageRef(account_id="home", mailbox=mailbox, uidvalidity=uidvalidity, uid=uid)


@given(mailbox=mailboxes, uidvalidity=numbers, uid=numbers)
def test_a_written_value_is_read_back(mailbox: str, uidvalidity: int, uid: int) -> None:
    ref = make_ref(mailbox, uidvalidity, uid)
    message = ResourceUri(kind=ResourceKind.MESSAGE, account_id="home", ref=ref)
    raw = ResourceUri(kind=ResourceKind.RAW, account_id="home", ref=ref)
    part = ResourceUri(kind=ResourceKind.ATTACHMENT, account_id="home", ref=ref, part_id="2.1")
    assert parse_resource_uri(ref.message_uri) == message
    assert parse_resource_uri(ref.message_raw_uri) == raw
    assert parse_resource_uri(ref.attachment_uri("2.1")) == part


@pytest.mark.parametrize("mailbox", AWKWARD)
def test_a_mailbox_is_one_segment_and_decoded_once(mailbox: str) -> None:
    ref = make_ref(mailbox)
    assert ref.message_uri.count("/") == 7
    assert parse_resource_uri(ref.message_uri).ref == ref


@pytest.mark.parametrize("mailbox", AWKWARD)
def test_the_templates_expand_to_the_same(mailbox: str) -> None:
    """As the SDK expands them, which is as RFC 6570 says."""
    values = {"account": "home", "mailbox": mailbox, "uidvalidity": "1700000000", "uid": "42", "part_id": "2"}
    ref = make_ref(mailbox)
    assert UriTemplate.parse(MESSAGE_TEMPLATE).expand(values) == ref.message_uri
    assert UriTemplate.parse(RAW_TEMPLATE).expand(values) == ref.message_raw_uri
    assert UriTemplate.parse(ATTACHMENT_TEMPLATE).expand(values) == ref.attachment_uri("2")


@pytest.mark.parametrize("segment", ["a!'()*b", "a%21%27%28%29%2Ab", "a%21%27%28%29%2ab"])
def test_characters_need_not_be_escaped_alike(segment: str) -> None:
    """JavaScript leaves five of them as they are (encodeURIComponent); escapes are in either case."""
    ref = parse_resource_uri(f"imap://home/mailbox/{segment}/message/1/2").ref
    assert ref is not None
    assert ref.mailbox == "a!'()*b"


def test_mailboxes_have_uris() -> None:
    read = parse_resource_uri(format_mailboxes_uri("home"))
    assert read == ResourceUri(kind=ResourceKind.MAILBOXES, account_id="home")
    read = parse_resource_uri("imap://home/mailbox/a%2Fb%25")
    assert read == ResourceUri(kind=ResourceKind.MAILBOX, account_id="home", mailbox="a/b%")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "INBOX",
        "imap://home",
        "imap://home/mailbox/",
        "imap://home/mailbox/INBOX/",
        "imap://home/mailbox/INBOX/message/1",
        "imap://home/mailbox/INBOX/message/1/2/",
        "imap://home/mailbox/INBOX/message/1/2/raw/attachment/1",
        "imap://home/mailbox/INBOX/message/1/2/attachment",
        "imap://home/mailbox/INBOX/message/1/2/attachment/0",
        "imap://home/mailbox/INBOX/message/1/2/attachment/1]",
        "imap://home/mailbox/INBOX/message/1/2/attachment/HEADER",
        "imap://home/mailbox//message/1/2",
        "imap://home/mailbox/a/b/message/1/2",
        "imap://home/mailbox/100%/message/1/2",
        "imap://home/mailbox/%zz/message/1/2",
        "imap://home/mailbox/ü/message/1/2",
        "imap://home/mailbox/%FC/message/1/2",
        "imap://home/mailbox/%ED%A0%80/message/1/2",
        "imap://home/mailbox/a%0D%0Ab/message/1/2",
        "imap://home/mailbox/a%00/message/1/2",
        "imap://home/mailbox/a%00",
        "imap://home/mailbox/INBOX/message/0/2",
        "imap://home/mailbox/INBOX/message/1/02",
        "imap://home/mailbox/INBOX/message/1/4294967296",
        "imap://home/mailbox/INBOX/message/4294967296/1",
        "imap://home/mailbox/INBOX/message/1/\N{ARABIC-INDIC DIGIT TWO}",
        "imap://home/mailbox/INBOX/message/1/2?x",
        "imap://home/mailbox/INBOX/message/1/2\n",
        "IMAP://home/mailbox/INBOX/message/1/2",
        "imap://me@home/mailbox/INBOX/message/1/2",
        "imap:///mailbox/INBOX/message/1/2",
        make_ref("x" * URI_CHARS_MAX).message_uri,
    ],
)
def test_a_foreign_uri_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_resource_uri(text)
    (problem,) = caught.value.problems
    assert (problem.field, problem.reason) == ("uri", Reason.MALFORMED_ID)
    assert "INBOX" not in problem.message


def test_the_longest_mailbox_of_an_id_fits() -> None:
    ref = make_ref("\U0001f44b" * limits.ARGUMENT_CHARS_MAX)
    assert parse_resource_uri(ref.attachment_uri("1.2.3")).ref == ref


@given(st.text(max_size=80))
def test_any_text_is_a_uri_or_is_refused(text: str) -> None:
    try:
        assert parse_resource_uri(text).account_id in text
    except InvalidInputError as error:
        assert error.reason is Reason.MALFORMED_ID  # noqa: PT017 - either is right, nothing else is
