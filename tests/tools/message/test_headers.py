"""What is cut of header fields is counted, and never in the middle of an address."""

import pytest

from mailmcp import limits
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.tools.message.headers import header_fields, people_fields


def recipients(count: int) -> str:
    return ", ".join(f"Recipient {number} <r{number}@quay.example>" for number in range(1, count + 1))


def headers_of(text: str) -> Headers:
    return parse_headers(text.encode())


def test_useful_headers_or_all_headers() -> None:
    headers = headers_of("Subject: A\nMessage-ID: <1@a.example>\nX-Odd: 1\n\n")
    for everything, names in ((False, ["Subject", "Message-ID"]), (True, ["Subject", "Message-ID", "X-Odd"])):
        values, warnings = header_fields(headers, everything=everything)
        assert list(values) == names
        assert warnings == []


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
        f"{name} has 300 addresses; the first {shown} are shown. Send include_all_headers for more."
    ]
    assert header_fields(headers, everything=True) == ({name: recipients(300)}, [])


def test_too_many_recipients_for_every_header_refer_to_the_source() -> None:
    headers = headers_of(f"To: {recipients(3_000)}\n\n")
    values, [warning] = header_fields(headers, everything=True)
    whole, _, missing = values["To"].rpartition(", ")
    assert whole == recipients(whole.count("@"))
    assert missing == f"{3_000 - whole.count('@')} more"
    assert warning == "Cut 1 header value; imap_get_message_raw has the whole source."


def test_a_field_that_was_cut_has_more_addresses_than_counted() -> None:
    headers = headers_of(f"To: {recipients(20_000)}\n\n")
    values, [warning] = people_fields(headers)
    assert warning.startswith("To has more than ")
    assert values["to"].endswith("+ more")


def test_other_values_are_cut_between_words() -> None:
    ids = " ".join(f"<{number}@quay.example>" for number in range(200))
    headers = headers_of(f"References: {ids}\nX-Long: {'x' * 30_000}\n\n")
    values, [warning] = header_fields(headers, everything=False)
    kept, _, missing = values["References"].partition(" … ")
    assert ids.startswith(f"{kept} ")
    assert kept.endswith(">")
    assert missing == f"({len(ids) - len(kept)} more characters)"
    assert warning.startswith("Cut 1 header value")
    values, _ = header_fields(headers, everything=True)
    assert values["References"] == ids
    assert values["X-Long"] == "x" * limits.HEADER_WHOLE_CHARS_MAX + " … (10000 more characters)"


def test_a_single_character_that_is_left_out_is_counted_as_one() -> None:
    value = "x" * limits.HEADER_WHOLE_CHARS_MAX
    values, _ = header_fields(headers_of(f"X-Long: {value}y\n\n"), everything=True)
    assert values["X-Long"] == f"{value} … (1 more character)"


def test_values_of_a_repeated_field_are_lines_in_order() -> None:
    values, _ = header_fields(headers_of("Received: a\nSubject: S\nReceived: b\n\n"), everything=True)
    assert values == {"Received": "a\nb", "Subject": "S"}


def test_a_name_of_an_address_field_passes_for_no_address() -> None:
    encoded = "=?utf-8?q?Carol_=3Ccarol=40home.example=3E=2C_Eve?="
    values, _ = header_fields(headers_of(f"Reply-To: {encoded} <evil@x.example>\n\n"), everything=False)
    assert values["Reply-To"] == '"Carol <carol@home.example>, Eve" <evil@x.example>'


def test_a_name_passes_for_no_count_of_what_is_left_out() -> None:
    values, _ = people_fields(headers_of("To: Ann <a@b.example>, 30 more\n\n"))
    assert values["to"] == 'Ann <a@b.example>, "30 more"'
