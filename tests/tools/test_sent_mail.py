"""A list shows whom the owner wrote to, and whom everything else is from."""

from dataclasses import replace

import pytest

from mailmcp.imap.mailboxes import Mailbox
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.owner import Owner
from mailmcp.tools.people import SentMail
from mailmcp.tools.preferences import DEFAULTS, Preferences
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store

OWNER = Preferences(owners={"home": Owner(addresses=("Mara@Example.com", "m@old.example"))}).owner_of


def ref(mailbox: str) -> MessageRef:
    return MessageRef(account_id="home", mailbox=mailbox, uidvalidity=1, uid=2)


def headers(*lines: str) -> Headers:
    return parse_headers("".join(f"{line}\r\n" for line in lines).encode())


FROM_MARA = "From: Mara <mara@example.com>"
TO_ANN = "To: Ann Lee <ann@example.org>"


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ((FROM_MARA, TO_ANN), "Ann Lee <ann@example.org>"),
        (("From: m@OLD.example", TO_ANN), "Ann Lee <ann@example.org>"),
        (
            (FROM_MARA, f"{TO_ANN}, b@x.example, c@x.example"),
            "Ann Lee <ann@example.org>, b@x.example, 1 more",
        ),
        ((FROM_MARA, "To: m@old.example"), None),
        ((FROM_MARA,), None),
        ((TO_ANN,), None),
        (("From: Mara <mara@example.com.evil.example>", TO_ANN), None),
        (("From: mara@example.com, ann@example.org", TO_ANN), None),
    ],
)
def test_the_owner_is_known_by_the_sender(lines: tuple[str, ...], shown: str | None) -> None:
    """Not by a name, and not where somebody else wrote too; what the owner sent to nobody else says who."""
    assert SentMail(owner_of=OWNER).recipients(ref("INBOX"), headers(*lines)) == shown


def test_a_mailbox_of_what_was_sent_is_known_by_its_use_or_its_name() -> None:
    sent = Mailbox(name="Von mir", delimiter="/", selectable=True, special_use="\\Sent")
    own = SentMail(listings={"home": (sent, replace(sent, name="Sent", special_use=""))})
    shown = {name: own.recipients(ref(name), headers(TO_ANN)) for name in ("Von mir", "Sent")}
    assert shown == {"Von mir": "Ann Lee <ann@example.org>", "Sent": None}
    assert own.recipients(replace(ref("Von mir"), account_id="club"), headers(TO_ANN)) is None
    for name in ("Sent", "Drafts", "INBOX.Sent", "[Gmail]/Sent Mail", "sent items"):
        assert SentMail().recipients(ref(name), headers(TO_ANN)) == "Ann Lee <ann@example.org>"
        assert SentMail().recipients(ref(name), headers("From: a@b.example")) == ""
        assert SentMail().recipients(ref(f"{name}-not"), headers(TO_ANN)) is None


def test_rows_show_whom_the_owner_wrote_to(store: Store, desk: Desk) -> None:
    """In one mailbox, and in all, whose special uses are known then; no round trip more."""
    letter = make_letter("From me", sender="Mara <mara@example.com>", to="Ann Lee <ann@example.org>")
    store.fill("INBOX", [letter.as_bytes(), make_letter("From another").as_bytes()])
    desk.preferences = replace(DEFAULTS, owners={"work": Owner(addresses=("mara@example.com",))})
    for mailbox in ("INBOX", "*"):
        reply = desk.search(mailbox=mailbox)
        rows = {row["subject"]: row for row in reply.data["messages"]}
        assert rows["From me"]["to"] == "Ann Lee <ann@example.org>"
        assert rows["From me"]["from"] == "Mara <mara@example.com>"
        assert "to" not in rows["From another"]
        assert ' | to "Ann Lee (ann@example.org)": "From me" | ' in reply.text
        assert ' | "Ann Example (ann@example.org)": "From another" | ' in reply.text
    assert desk.search().telemetry.imap_round_trips == 2
