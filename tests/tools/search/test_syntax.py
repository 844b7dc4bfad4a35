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
    ("query", "shown", "instead"),
    [
        ("drift FROM:jonas", "`from:`", 'from="jonas"'),
        ('to:"Priya Raman" drift', "`to:`", 'to="Priya Raman"'),
        ("(cc:priya)", "`cc:`", 'cc="priya"'),
        ("bcc:priya", "`bcc:`", 'any_address="priya"'),
        ("subject:müller,", "`subject:`", 'subject="müller"'),
        ("filename:report.pdf", "`filename:`", 'query="report.pdf"'),
        ("has:attachment", "`has:`", "has_attachment=true"),
        ("hasattachments:TRUE", "`hasattachments:`", "has_attachment"),
        ("-is:read", "`-is:`", "unread_only=true"),
        ("NOT is:answered", "`is:`", "unanswered_only=true"),
        ("in:anywhere", "`in:`", 'mailbox="*"'),
        ("label:Receipts", "`label:`", 'mailbox="Receipts"'),
        ("after:2026/11/05", "`after:`", "since"),
        ("newer_than:2w", "`newer_than:`", "last_days"),
        ("larger:5M", "`larger:`", "larger_than"),
        ("rfc822msgid:<a@b>", "`rfc822msgid:`", 'header_message_id="a@b"'),
        ("list:news.example.org", "`list:`", 'list_id="news.example.org"'),
        ('drift NOT "firmware 2"', "`NOT`", 'exclude="firmware 2"'),
        ("-firmware -beta", "`-`", 'exclude="firmware", exclude="beta"'),
        ("-from:bob", "`-from:`", 'exclude="bob"'),
        ("from:" + "x" * 65, "`from:`", "from"),
        ("from:a`b", "`from:`", "from"),
    ],
)
def test_an_operator_is_refused_with_its_argument(query: str, shown: str, instead: str) -> None:
    expected = f"query: {shown} is not an operator here. Send {instead}. In double quotes it is text."
    assert complaint(query=query) == expected


def test_several_operators_are_refused_together() -> None:
    assert complaint(query='from:jonas subject:"sensor drift" category:promotions') == (
        "query: `from:`, `subject:`, `category:` are not operators here. "
        'Send from="jonas", subject="sensor drift". On Gmail, gmail_query takes operators. '
        "In double quotes it is text."
    )


@pytest.mark.parametrize("query", ["drift OR firmware", "DRIFT | FIRMWARE", "hotel|invoice"])
def test_words_cannot_be_alternatives(query: str) -> None:
    assert "is not an operator here: words are joined by AND. Search once for each. In" in complaint(
        query=query
    )


@pytest.mark.parametrize("name", ["from", "subject", "body"])
def test_a_phrase_has_no_operators_either(name: str) -> None:
    expected = f"{name}: `OR` is not an operator here: the text is one phrase. Search once for each. In"
    assert complaint(**{name: "Jonas OR Mira"}).startswith(expected)
    assert f"{name}: `AND` is no" in complaint(**{name: "Jonas AND Mira"})
    assert 'Send exclude="Mira".' in complaint(**{name: "Jonas NOT Mira"})
    assert 'Send to="Mira".' in complaint(**{name: "to:Mira"})


def test_capitals_of_a_shouted_subject_are_words_and_those_of_names_are_not() -> None:
    check(subject="TERMS AND CONDITIONS: PAY NOW OR DO NOT PAY", body="DO OR DIE")
    assert "subject: `OR`" in complaint(subject="請求書 OR 領収書")
    assert "from: `OR`" in complaint(**{"from": "IBM OR SAP"})


def test_what_is_excluded_is_any_of_the_words() -> None:
    check(exclude="drift OR firmware | beta AND gamma")
    assert 'exclude: `-` is not an operator here. Send exclude="beta".' in complaint(exclude="drift -beta")
    assert 'exclude: `from:` is not an operator here. Send exclude="ann".' in complaint(exclude="from:ann")


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


def test_all_arguments_with_operators_are_reported_at_once() -> None:
    message = complaint(query="a OR from:b", subject="x OR y")
    assert [message.count(f"{name}: `") for name in ("query", "subject")] == [2, 1]


@given(st.text('from:to-OR NOT|"“”\\({*,;\n', max_size=60))
def test_any_text_is_accepted_or_refused(text: str) -> None:
    arguments = SearchMessagesArguments.model_construct(query=text, exclude=text, subject=text)
    try:
        check_syntax(arguments)
    except InvalidInputError as error:
        assert error.reason is BaseReason.INVALID_VALUE  # noqa: PT017 - either is right, nothing else is
