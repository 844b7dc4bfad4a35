"""What is cut of header fields is counted, and never in the middle of an address."""

import pytest

from mailmcp import limits
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.tools.message.headers import header_object, header_rows, people_fields, people_warnings


def recipients(count: int) -> str:
    return ", ".join(f"Recipient {number} <r{number}@quay.example>" for number in range(1, count + 1))


def headers_of(text: str) -> Headers:
    return parse_headers(text.encode())


def test_headers_that_matter_or_all() -> None:
    headers = headers_of("Subject: A\nMessage-ID: <1@a.example>\nX-Odd: 1\n\n")
    for everything, names in ((False, ["Subject", "Message-ID"]), (True, ["Subject", "Message-ID", "X-Odd"])):
        rows, warnings = header_rows(headers, everything=everything)
        assert [row.name for row in rows] == names
        assert warnings == ()


def test_recipients_that_fit_are_whole_and_need_no_word() -> None:
    headers = headers_of(f"From: a@b.example\nTo: {recipients(50)}\n\n")
    assert people_fields(headers) == {"from": "a@b.example", "to": recipients(50), "cc": ""}
    assert people_warnings(headers) == ()


@pytest.mark.parametrize("name", ["To", "Cc"])
def test_recipients_for_whom_there_is_no_room_are_counted(name: str) -> None:
    headers = headers_of(f"{name}: {recipients(300)}\n\n")
    written = people_fields(headers)[name.lower()]
    whole, _, missing = written.rpartition(", ")
    shown = whole.count("@")
    assert len(written) <= limits.HEADER_CHARS_MAX
    assert whole == recipients(shown)
    assert missing == f"{300 - shown} more"
    assert people_warnings(headers) == (
        f"{name} has 300 addresses; the first {shown} are shown. Send include_all_headers for more.",
    )
    rows, warnings = header_rows(headers, everything=True)
    assert ([row.value for row in rows], warnings) == ([recipients(300)], ())


def test_where_there_are_too_many_for_every_header_the_source_is_named() -> None:
    headers = headers_of(f"To: {recipients(3_000)}\n\n")
    [row], [warning] = header_rows(headers, everything=True)
    whole, _, missing = row.value.rpartition(", ")
    assert whole == recipients(whole.count("@"))
    assert missing == f"{3_000 - whole.count('@')} more"
    assert warning == "1 header value was cut; imap_get_message_raw has the whole source."


def test_a_field_that_is_not_read_to_its_end_has_more_than_are_counted() -> None:
    headers = headers_of(f"To: {recipients(20_000)}\n\n")
    [warning] = people_warnings(headers)
    assert warning.startswith("To has more than ")
    assert people_fields(headers)["to"].endswith("+ more")


def test_other_values_are_cut_between_words() -> None:
    ids = " ".join(f"<{number}@quay.example>" for number in range(200))
    headers = headers_of(f"References: {ids}\nX-Long: {'x' * 30_000}\n\n")
    [row], [warning] = header_rows(headers, everything=False)
    kept, _, missing = row.value.partition(" … ")
    assert ids.startswith(f"{kept} ")
    assert kept.endswith(">")
    assert missing == f"({len(ids) - len(kept)} more characters)"
    assert warning.startswith("1 header value was cut")
    rows, _ = header_rows(headers, everything=True)
    assert rows[0].value == ids
    assert rows[1].value == "x" * limits.HEADER_WHOLE_CHARS_MAX + " … (10000 more characters)"


def test_a_field_that_occurs_several_times_is_in_lines_in_its_order() -> None:
    rows, _ = header_rows(headers_of("Received: a\nSubject: S\nReceived: b\n\n"), everything=True)
    assert header_object(rows) == {"Received": "a\nb", "Subject": "S"}


def test_a_name_of_an_address_field_passes_for_no_address() -> None:
    encoded = "=?utf-8?q?Carol_=3Ccarol=40home.example=3E=2C_Eve?="
    [row], _ = header_rows(headers_of(f"Reply-To: {encoded} <evil@x.example>\n\n"), everything=False)
    assert row.value == '"Carol <carol@home.example>, Eve" <evil@x.example>'


def test_a_name_passes_for_no_count_of_what_is_left_out() -> None:
    assert people_fields(headers_of("To: Ann <a@b.example>, 30 more\n\n"))["to"] == (
        'Ann <a@b.example>, "30 more"'
    )
