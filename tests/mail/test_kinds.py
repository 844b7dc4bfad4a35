"""Kinds of mail: the signs one by one, and no false alarms over the corpus and real newsletters."""

from pathlib import Path

import pytest

from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.kinds import is_of_kind
from mailmcp.mail.message import parse_message
from mailmcp.model.mail_kind import SIGNS, MailKind, WantedKind
from newsletters import NEWSLETTERS, Newsletter

CORPUS = Path(__file__).parent.parent / "corpus"
OWN = ("ben@quay.example",)


def kinds_of(octets: bytes) -> set[str]:
    view = parse_message(octets, complete=True)
    return {
        kind for kind in MailKind if is_of_kind(view.headers, view.structure, WantedKind(kind=kind, own=OWN))
    }


HEADERS: list[tuple[str, set[str]]] = [
    ("", set()),
    ("From: Ann <ann@x>", {"personal"}),
    ("From: Ann <ANN@A.b>", {"personal"}),
    ("From: Ben <BEN@quay.example>", set()),
    ("From: Ben <ben@quay.example>, ann@x", {"personal"}),
    ("From: Ann", set()),
    ("From: a@x\nList-Unsubscribe: <https://x/u>", {"newsletter"}),
    ("From: a@x\nList-Id: News <news.x>", {"newsletter"}),
    ("From: a@x\nList-Unsubscribe:", {"newsletter"}),
    ("From: a@x\nList-Id: <l.x>\nList-Post: <mailto:l@x>", {"personal"}),
    ("From: a@x\nList-Id: <l.x>\nList-Post: NO (not here)", {"newsletter"}),
    ("From: a@x\nPrecedence: Bulk", {"newsletter"}),
    ("From: a@x\nPrecedence: first-class", {"personal"}),
    ("From: a@x\nPrecedence: bulky", {"personal"}),
    ("From: a@x\nPrecedence: auto_reply", {"automatic"}),
    ("From: a@x\nAuto-Submitted: auto-replied; owner-email=b@y", {"automatic"}),
    ("From: a@x\nAuto-Submitted: No", {"personal"}),
    ("From: a@x\nAuto-Submitted: notified", {"automatic"}),
    ("From: a@x\nX-Auto-Response-Suppress: All", {"automatic"}),
    ("From: a@x\nX-Auto-Response-Suppress: none", {"personal"}),
    ("From: a@x\nReturn-Path: <>", {"automatic"}),
    ("From: a@x\nReturn-Path: <a@x>", {"personal"}),
    ("From: a@x\nContent-Type: multipart/report; boundary=x", {"automatic"}),
    ("From: a@x\nContent-Type: multipart/mixed; boundary=report", {"personal"}),
    ("From: a@x\nList-Unsubscribe: <x:y>\nAuto-Submitted: auto-generated", {"newsletter", "automatic"}),
    *((f"From: Shop <{local}@x.example>", {"automatic"}) for local in (
        "noreply", "no-reply", "No_Reply", "no.reply", "noreply+17", "shop-no-reply", "donotreply",
        "do-not-reply-news", "mailer-daemon", "MAILER-DAEMON", "postmaster", "notifications", "alert",
        "notification+ab", "ne-pas-repondre", "nicht-antworten", "bounces", "auto-confirm",
    )),
    *((f"From: Noreply Postmaster <{local}@noreply.alerts.example>", {"personal"}) for local in (
        "ann", "nora.reply", "replyson", "postmaster-general", "cronin", "alerts.fan", "ann+noreply",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("header", "kinds"), HEADERS)
def test_signs(header: str, kinds: set[str]) -> None:
    assert kinds_of(header.encode() + b"\n\nText\n") == kinds


AUTOMATIC = {
    *("abuse_report", "bounce_exchange", "bounce_exim", "bounce_gmail", "bounce_in_prose", "bounce_postfix"),
    *("bounce_postfix_delayed", "bounce_success", "delivery_report", "out_of_office", "report_broken"),
    *("read_receipt_deleted", "read_receipt_outlook", "ticket_system"),
}
INVITATIONS = {
    *("apple_all_day_invitation", "calendar_broken", "google_cancel", "google_invitation", "google_update"),
    *("invitation", "outlook_recurring_invitation", "outlook_reply"),
}
LISTS = {"digest_of_list", "mailing_list_signed_inside", "mailman_footer_added"}
NOBODYS = {"empty_message", "no_headers", "only_newlines", "text_without_headers"}
"""They have no sender."""


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.eml")), ids=lambda path: path.stem)
def test_the_corpus_raises_no_false_alarm(path: Path) -> None:
    groups = {"automatic": AUTOMATIC, "invitation": INVITATIONS, "newsletter": LISTS}
    expected = {kind for kind, names in groups.items() if path.stem in names}
    person = set() if path.stem in NOBODYS else {"personal"}
    assert kinds_of(path.read_bytes()) == (expected or person)


@pytest.mark.parametrize("newsletter", NEWSLETTERS, ids=lambda each: each.name)
def test_newsletters_are_newsletters(newsletter: Newsletter) -> None:
    found = kinds_of(newsletter.message)
    assert "newsletter" in found
    assert not found & {"personal", "invitation"}


@pytest.mark.parametrize("kind", MailKind)
def test_the_fields_that_are_fetched_are_enough(kind: MailKind) -> None:
    wanted = WantedKind(kind=kind, own=OWN)
    fetched = {name.lower() for name in wanted.header_fields}
    for header, kinds in HEADERS:
        lines = [line for line in header.split("\n") if line.partition(":")[0].lower() in fetched]
        headers = parse_headers("\n".join([*lines, ""]).encode())
        assert is_of_kind(headers, None, wanted) == (kind in kinds), header


@pytest.mark.parametrize("kind", [MailKind.NEWSLETTER, MailKind.AUTOMATIC])
def test_the_search_keys_find_every_sign(kind: MailKind) -> None:
    """Each field that shows a kind has one of the texts that are searched for in it."""
    for header, kinds in HEADERS:
        if kind in kinds:
            headers = parse_headers(header.encode() + b"\n")
            assert any(
                text.lower() in value.lower()
                for sign in SIGNS[kind]
                for text in sign.texts
                for value in headers.get_all(sign.field)
            ), header
