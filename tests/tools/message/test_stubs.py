"""A plain text that is a stub doesn't hide what the HTML says: in messages, snippets and conversations."""

import pytest

from tools.conftest import DeskFactory
from tools.letters import make_letter
from tools.stores import Store

ORDER = "Your order 4711 of 3 chairs was shipped on Friday. It arrives on Monday between 9 and 12."
STUBS = [
    "Your email client does not support HTML messages. Please open it in your browser: https://a.example/v/1",
    "To view this message, please use an HTML compatible email viewer!",
    "This is a multi-part message in MIME format.",
    "https://a.example/" + "x" * 500,
    "Aby wyświetlić wiadomość, otwórz ją w przeglądarce: https://a.example/v/1",
    "Newsletter",
]
LONG = "This line of the letter is in the plain text, and nowhere else in it.\n" * 20
MORE = "Bring the papers of the boat and the key of berth twelve on Thursday, before the office closes."


@pytest.mark.parametrize(
    "style", ["", "<style>" + ".a{color:#123456}" * 100 + "</style>"], ids=["", "styled"]
)
def test_the_html_is_read_instead(dovecot_mail: Store, open_desk: DeskFactory, style: str) -> None:
    html = f"<html>{style}<p>{ORDER}</p></html>"
    dovecot_mail.fill("INBOX", [make_letter(text=f"{stub}\n", html=html).as_bytes() for stub in STUBS])
    desk = open_desk(dovecot_mail.account)
    ids = desk.message_ids()
    assert [desk.message(each)["body_text"] for each in ids] == [ORDER] * len(STUBS)
    assert {row["snippet"] for row in desk.search(snippet_max_chars=200).data["messages"]} == {ORDER}
    threads = [desk.call("imap_get_thread", {"message_id": each}).data["messages"] for each in ids]
    assert {row["text"] for rows in threads for row in rows} == {ORDER}
    assert not any("next_offset" in row for rows in threads for row in rows)


def test_lines_that_only_one_of_them_has_are_a_warning(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    warning = "The HTML has 1 line that the plain text, shown here, doesn't have: body_mode=html shows it."
    pages = [f"<p>{LONG}</p>", f"<p>{LONG}</p><p>{MORE}</p>", f"<p>{LONG}</p><p hidden>{MORE}</p>"]
    dovecot_mail.fill("INBOX", [make_letter(text=LONG, html=each).as_bytes() for each in pages])
    desk = open_desk(dovecot_mail.account)
    replies = [desk.get(each) for each in desk.message_ids()]
    assert [warning in reply.outcome.warnings for reply in replies] == [False, True, False]
    assert warning not in desk.get(desk.message_ids()[1], body_mode="html").outcome.warnings
