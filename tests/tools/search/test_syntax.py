"""What is meant as an operator is refused, with the argument to send instead; text is let through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.syntax import check_syntax
from mcp_envelope import BaseReason, InvalidInputError, read_arguments


def check(**raw: object) -> None:
    check_syntax(read_arguments(SearchMessagesArguments, raw))


def complaint(**raw: object) -> str:
    with pytest.raises(InvalidInputError) as caught:
        check(**raw)
    assert {each.reason for each in caught.value.problems} == {BaseReason.INVALID_VALUE}
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "text", "shown", "instead"),
    [
        ("query", "drift FROM:jonas", "`from:`", "from"),
        ("query", 'to:"Priya Raman" drift', "`to:`", "to"),
        ("query", "(bcc:priya)", "`bcc:`", "any_address"),
        ("query", "hasattachments:TRUE", "`hasattachments:`", "has_attachment"),
        (
            "query",
            "newer_than:2w rfc822msgid:<a@b>",
            "`newer_than:`, `rfc822msgid:`",
            "last_days, header_message_id",
        ),
        ("query", "-is:read", "`-is:`", "unread_only, flagged or awaiting_reply"),
        ("query", "is:unread", "`is:`", "unread_only, flagged or awaiting_reply"),
        ("query", 'drift NOT "firmware 2"', "`NOT`", "exclude"),
        ("query", "-firmware -beta", "`-`", "exclude"),
        ("query", "-from:bob", "`-from:`", "exclude"),
        ("subject", "to:Mira", "`to:`", "to"),
        ("body", "Jonas NOT Mira", "`NOT`", "exclude"),
        ("exclude", "drift -beta", "`-`", "exclude"),
        ("exclude", "from:ann", "`from:`", "exclude"),
    ],
)
def test_an_operator_is_refused_with_its_argument(name: str, text: str, shown: str, instead: str) -> None:
    expected = f"takes no operators. Instead of {shown} send {instead}. In double quotes it is text."
    assert complaint(**{name: text}) == f"{name}: {expected}"


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("query", "drift OR firmware", "OR"),
        ("query", "DRIFT | FIRMWARE", "|"),
        ("query", "hotel|invoice", "|"),
        ("from", "IBM OR SAP", "OR"),
        ("subject", "Jonas AND Mira", "AND"),
        ("subject", "請求書 OR 領収書", "OR"),
    ],
)
def test_words_cannot_be_alternatives(name: str, text: str, shown: str) -> None:
    expected = (
        f"{name}: takes no operators such as `{shown}`. Search once for each. In double quotes it is text."
    )
    assert complaint(**{name: text}) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Re: drift",
        "send it to:",
        "is:? really",
        "http://example.org/from:ann",
        '"from:jonas" "a OR b" "-x" "hotel|invoice"',
        '“from:jonas OR x” \\"from:jonas OR x\\"',
        '"never closed from:jonas',
        "drift AND firmware",
        "OR drift OR",
        "drift NOT",
        "do not or",
        "-5 degrees - or --force",
        "e-mail well-known",
        "12:30 C:\\Users std::vector",
    ],
)
def test_ordinary_text_is_accepted(text: str) -> None:
    check(query=text, gmail_query="from:jonas OR -is:unread")


def test_capitals_of_a_shouted_subject_and_what_joins_excluded_words_are_words() -> None:
    check(subject="TERMS AND CONDITIONS: PAY NOW OR DO NOT PAY", body="DO OR DIE")
    check(exclude="drift OR firmware | beta AND gamma")


@given(st.text('from:to-OR NOT|"“”\\({*,;\n', max_size=60))
def test_any_text_is_accepted_or_refused(text: str) -> None:
    arguments = SearchMessagesArguments.model_construct(query=text, exclude=text, subject=text)
    try:
        check_syntax(arguments)
    except InvalidInputError as error:
        assert error.reason is BaseReason.INVALID_VALUE  # noqa: PT017 - either is right, nothing else is
