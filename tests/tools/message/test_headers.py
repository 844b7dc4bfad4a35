"""What is cut of header fields is counted, and never in the middle of an address."""

import pytest

from mailmcp import limits
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.tools.message.headers import header_fields, people_fields


def recipients(count: int) -> str:
    return ", ".join(f"Recipient {number} <r{number}@quay.example>" for number in range(1, count + 1))


def headers_of(text: str) -> Headers:
    return parse_headers(text.encode())


def test_headers_that_matter_are_shown_and_repeated_ones_are_lines() -> None:
    headers = headers_of("Subject: A\nMessage-ID: <1@a.example>\nX-Odd: 1\nReferences: a\nReferences: b\n\n")
    assert header_fields(headers) == (
        {"Subject": "A", "Message-ID": "<1@a.example>", "References": "a\nb"},
        [],
    )


def test_recipients_that_fit_are_shown_without_a_warning() -> None:
    headers = headers_of(f"From: a@b.example\nTo: {recipients(50)}\n\n")
    assert people_fields(headers) == ({"from": "a@b.example", "to": recipients(50), "cc": ""}, [])


@pytest.mark.parametrize("name", ["To", "Cc"])
def test_recipients_that_do_not_fit_are_counted(name: str) -> None:
    headers = headers_of(f"{name}: {recipients(300)}\n\n")
    values, warnings = people_fields(headers)
    written = values[name.lower()]
    whole, _, missing = written.rpartition(", ")
    shown = whole.count("@")
    assert len(written) <= limits.HEADER_CHARS_MAX
    assert whole == recipients(shown)
    assert missing == f"{300 - shown} more"
    assert warnings == [
        f"{name} has 300 addresses, of which {shown} are shown; imap_get_message_raw has all of them."
    ]


def test_a_field_that_was_cut_has_more_addresses_than_counted() -> None:
    headers = headers_of(f"To: {recipients(20_000)}\n\n")
    values, [warning] = people_fields(headers)
    assert warning.startswith("To has more than ")
    assert values["to"].endswith("+ more")


def test_other_values_are_cut_between_words() -> None:
    ids = " ".join(f"<{number}@quay.example>" for number in range(200))
    headers = headers_of(f"References: {ids}\n\n")
    values, [warning] = header_fields(headers)
    kept, _, missing = values["References"].partition(" … ")
    assert ids.startswith(f"{kept} ")
    assert kept.endswith(">")
    assert missing == f"({len(ids) - len(kept)} more characters)"
    assert warning.startswith("Cut 1 header value")
    assert values["References"].count("<") < 200


@pytest.mark.parametrize(("more", "said"), [("y", "(1 more character)"), ("yy", "(2 more characters)")])
def test_one_word_is_cut_within(more: str, said: str) -> None:
    value = "x" * limits.HEADER_CHARS_MAX
    values, _ = header_fields(headers_of(f"Subject: {value}{more}\n\n"))
    assert values["Subject"] == f"{value} … {said}"


def test_a_name_of_an_address_field_passes_for_no_address() -> None:
    encoded = "=?utf-8?q?Carol_=3Ccarol=40home.example=3E=2C_Eve?="
    values, _ = header_fields(headers_of(f"Reply-To: {encoded} <evil@x.example>\n\n"))
    assert values["Reply-To"] == '"Carol <carol@home.example>, Eve" <evil@x.example>'


def test_a_name_passes_for_no_count_of_what_is_left_out() -> None:
    values, _ = people_fields(headers_of("To: Ann <a@b.example>, 30 more\n\n"))
    assert values["to"] == 'Ann <a@b.example>, "30 more"'
