"""A plain text that is a stub doesn't hide what the HTML says: in messages, snippets and conversations."""

from tools.conftest import DeskFactory
from tools.letters import make_letter
from tools.stores import Store

ORDER = "Your order 4711 of 3 chairs was shipped on Friday. It arrives on Monday between 9 and 12."
STUBS = ["This is a multi-part message in MIME format.", "https://a.example/" + "x" * 500]
STYLED = f"<style>{'.a{color:#123456}' * 100}</style>"


def test_the_html_is_read_instead(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    pages = [f"<html>{style}<p>{ORDER}</p></html>" for style in ("", STYLED)]
    letters = [make_letter(text=stub, html=page).as_bytes() for stub, page in zip(STUBS, pages, strict=True)]
    dovecot_mail.fill("INBOX", letters)
    desk = open_desk(dovecot_mail.account)
    assert {row["snippet"] for row in desk.search(snippet_max_chars=200).data["messages"]} == {ORDER}
    for message_id in desk.message_ids():
        assert desk.message(message_id)["body_text"] == ORDER
        [row] = desk.call("imap_get_thread", {"message_id": message_id}).data["messages"]
        assert (row["text"], "next_offset" in row) == (ORDER, False)
