"""What is meant as an operator is refused, with the argument to send instead; text is let through."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.syntax import check_syntax
from mcp_envelope import BaseReason, InvalidInputError, read_arguments

TODAY = date(2026, 11, 21)


def check(**raw: object) -> None:
    check_syntax(read_arguments(SearchMessagesArguments, raw), today=TODAY)


def complaint(**raw: object) -> str:
    with pytest.raises(InvalidInputError) as caught:
        check(**raw)
    assert {each.reason for each in caught.value.problems} == {BaseReason.INVALID_VALUE}
    return caught.value.message


@pytest.mark.parametrize(
    ("query", "shown", "instead"),
    [
        ("from:jonas", "`from:`", 'from="jonas"'),
        ("drift FROM:jonas", "`from:`", 'from="jonas"'),
        ('to:"Priya Raman" drift', "`to:`", 'to="Priya Raman"'),
        ("(cc:priya)", "`cc:`", 'cc="priya"'),
        ("bcc:priya", "`bcc:`", 'any_address="priya"'),
        ("subject:drift,", "`subject:`", 'subject="drift"'),
        ("from:müller", "`from:`", 'from="müller"'),
        ("filename:report.pdf", "`filename:`", 'query="report.pdf"'),
        ("has:attachment", "`has:`", "has_attachment=true"),
        ("hasattachments:TRUE", "`hasattachments:`", "has_attachment=true"),
        ("is:unread", "`is:`", "unread_only=true"),
        ("-is:read", "`-is:`", "unread_only=true"),
        ("is:starred", "`is:`", "flagged=true"),
        ("is:replied", "`is:`", "answered=true"),
        ("-is:answered", "`-is:`", "unanswered_only=true"),
        ("in:anywhere", "`in:`", 'mailbox="*"'),
        ("label:Receipts", "`label:`", 'mailbox="Receipts"'),
        ("after:2026/11/05", "`after:`", 'since="2026-11-05"'),
        ("before:2026-11-05", "`before:`", 'before="2026-11-05"'),
        ("before:yesterday", "`before:`", "before"),
        ("newer_than:2w", "`newer_than:`", "last_days=14"),
        ("newer_than:2y", "`newer_than:`", "last_days"),
        ("newer_than:soon", "`newer_than:`", "last_days"),
        ("older_than:7d", "`older_than:`", 'before="2026-11-14"'),
        ("older_than:9999y", "`older_than:`", "before"),
        ("larger:5M", "`larger:`", "larger_than=5000000"),
        ("smaller:1KiB", "`smaller:`", "smaller_than=1024"),
        ("larger:huge", "`larger:`", "larger_than"),
        ("rfc822msgid:<a@b>", "`rfc822msgid:`", 'header_message_id="a@b"'),
        ("list:news.example.org", "`list:`", 'list_id="news.example.org"'),
        ("drift NOT firmware", "`NOT`", 'exclude="firmware"'),
        ('drift NOT "firmware 2"', "`NOT`", 'exclude="firmware 2"'),
        ("drift -firmware", "`-`", 'exclude="firmware"'),
        ('drift -"firmware 2"', "`-`", 'exclude="firmware 2"'),
        ("-firmware -beta", "`-`", 'exclude="firmware beta"'),
        ('-firmware -"beta 2"', "`-`", "exclude"),
        ("from:a from:b", "`from:`", "from"),
        ("from:" + "x" * 65, "`from:`", "from"),
        ("from:a`b", "`from:`", "from"),
        ("from:", "`from:`", "from"),
        (" Subject: ", "`subject:`", "subject"),
    ],
)
def test_an_operator_is_refused_with_its_argument(query: str, shown: str, instead: str) -> None:
    expected = f"query: {shown} is not an operator here. Send {instead}. In double quotes it is text."
    assert complaint(query=query) == expected


def test_several_operators_are_refused_together() -> None:
    assert complaint(query='from:jonas subject:"sensor drift" has:attachment') == (
        "query: `from:`, `subject:`, `has:` are not operators here. "
        'Send from="jonas", subject="sensor drift", has_attachment=true. In double quotes it is text.'
    )


@pytest.mark.parametrize("query", ["is:important", "has:userlabels", "category:promotions", "-in:inbox"])
def test_operators_without_an_argument_are_for_gmail_query(query: str) -> None:
    assert "here. On Gmail send gmail_query. In" in complaint(query=query)
    assert 'Send from="a". For the rest send gmail_query, on Gmail. In' in complaint(query=f"from:a {query}")


@pytest.mark.parametrize("query", ["-from:bob", "NOT from:bob"])
def test_excluding_a_sender_is_refused_with_a_warning(query: str) -> None:
    assert 'Send exclude="bob". exclude applies to the whole message. In' in complaint(query=query)


@pytest.mark.parametrize("word", ["OR", "|"])
def test_words_cannot_be_alternatives(word: str) -> None:
    expected = f"query: `{word}` is not an operator here: words are joined by AND. Search once for each. In"
    assert complaint(query=f"drift {word} firmware").startswith(expected)
    assert complaint(query=f"DRIFT {word} FIRMWARE").startswith(expected)
    assert complaint(query="hotel|invoice").startswith(expected.replace("OR", "|"))
    check(query='"hotel|invoice" | "|x|"'.replace(" | ", " "), subject="Hotel|Invoice")


@pytest.mark.parametrize("name", ["from", "to", "cc", "any_address", "subject", "body"])
def test_a_phrase_has_no_operators_either(name: str) -> None:
    expected = f"{name}: `OR` is not an operator here: the text is one phrase. Search once for each. In"
    assert complaint(**{name: "Jonas OR Mira"}).startswith(expected)
    assert f"{name}: `AND` is no" in complaint(**{name: "Jonas AND Mira"})
    assert f'{name}: `NOT` is not an operator here. Send exclude="Mira".' in complaint(
        **{name: "Jonas NOT Mira"}
    )
    assert f'{name}: `to:` is not an operator here. Send to="Mira".' in complaint(**{name: "to:Mira"})


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
        "Invoice: 4711",
        "To: Ann",
        "send it to:",
        "is:? really",
        "http://example.org/from:ann",
        '"from:jonas" "a OR b" "-x"',
        "“from:jonas OR x”",
        '\\"from:jonas OR x\\"',
        '"never closed from:jonas',
        "drift AND firmware",
        "OR drift",
        "drift OR",
        "drift NOT",
        "do not or",
        "-5 degrees - or --force",
        "e-mail well-known",
        "12:30 C:\\Users std::vector",
        "drift, firmware; *",
    ],
)
def test_ordinary_text_is_accepted(text: str) -> None:
    check(query=text)


def test_gmail_query_may_have_operators() -> None:
    check(gmail_query="from:jonas OR -is:unread")


def test_all_arguments_with_operators_are_reported_at_once() -> None:
    message = complaint(query="a OR from:b", subject="x OR y")
    assert [message.count(f"{name}: `") for name in ("query", "subject")] == [2, 1]


@given(st.text('from:to-OR NOT|"“”\\({*,;\n', max_size=60))
def test_any_text_is_accepted_or_refused(text: str) -> None:
    arguments = SearchMessagesArguments.model_construct(query=text, exclude=text, subject=text)
    try:
        check_syntax(arguments, today=TODAY)
    except InvalidInputError as error:
        assert error.reason is BaseReason.INVALID_VALUE  # noqa: PT017 - either is right, nothing else is
