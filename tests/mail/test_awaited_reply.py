"""What answers a message, and what may await an answer."""

from datetime import UTC, datetime, timedelta

import pytest

from mailmcp.mail.awaited_reply import Letter, find_threads, is_answered, may_await_reply
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import ThreadHeaders
from mailmcp.model.awaited_reply import FROM_ME, FROM_OTHERS, AwaitedReply

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def letter(own: str, *refers_to: str, days: float = 0, mine: bool = False, counts: bool = True) -> Letter:
    date = DAY + timedelta(days=days)
    links = ThreadHeaders(own_id=own, refers_to=refers_to, date=date)
    return Letter(links=links, written_at=date.timestamp(), by_owner=mine, is_answer=counts)


QUESTION = letter("q", "root", mine=True)

ANSWERED = {
    "it is named": [letter("a", "q", days=1)],
    "it is named by a clock that is late": [letter("a", "q", days=-1)],
    "only the beginning is named": [letter("a", "root", days=1)],
    "a later message of one's own is named": [letter("f", "q", days=1, mine=True), letter("a", "f", days=2)],
    "a program's message lies between": [letter("p", "q", days=1, counts=False), letter("a", "p", days=2)],
}
UNANSWERED = {
    "nobody wrote": [],
    "by the same side": [letter("f", "q", days=1, mine=True)],
    "by a program": [letter("p", "q", days=1, counts=False)],
    "what it answers": [letter("root", days=-1)],
    "what it answers, by a clock that is early": [letter("root", days=1)],
    "earlier in the conversation": [letter("b", "root", days=-1)],
    "elsewhere": [letter("e", "other", days=1)],
    "its own copy": [QUESTION],
}


CASES = {**dict.fromkeys(ANSWERED, True), **dict.fromkeys(UNANSWERED, False)}


@pytest.mark.parametrize(("case", "answered"), CASES.items())
def test_a_message_is_answered_or_not(case: str, *, answered: bool) -> None:
    others = (ANSWERED | UNANSWERED)[case]
    stranger = letter("x", mine=True)
    own, strangers = find_threads([QUESTION, stranger], others[::-1])
    assert is_answered(QUESTION, own) is answered
    assert not is_answered(stranger, strangers)


ME, ANN = "me@home.example", "ann@ann.example"

AWAITS = (
    (FROM_ME, f"From: {ANN}\nTo: {ME}\n", True),
    (FROM_ME, f"From: {ANN}\nTo: bob@b.example\nCc: Me <{ME.upper()}>\n", True),
    (FROM_ME, f"From: {ANN}\nTo: friends@club.example\n", False),
    (FROM_ME, f"From: {ME}\nTo: {ME}\n", False),
    (FROM_ME, f"To: {ME}\n", False),
    (FROM_ME, f"From: {ANN}\nTo: {ME}\nAuto-Submitted: auto-replied\n", False),
    (FROM_ME, f"From: no-reply@shop.example\nTo: {ME}\n", False),
    (FROM_ME, f"From: {ANN}\nTo: {ME}\nList-Unsubscribe: <mailto:leave@a.example>\n", False),
    (FROM_ME, f"From: {ANN}\nTo: {ME}\nList-Id: <a.example>\nList-Post: <mailto:all@a.example>\n", True),
    (FROM_OTHERS, f"From: {ME}\nTo: {ANN}\n", True),
    (FROM_OTHERS, f"From: {ME}\n", True),
    (FROM_OTHERS, f"From: {ME}\nTo: {ME}\n", False),
    (FROM_OTHERS, f"From: {ANN}\nTo: {ME}\n", False),
    (FROM_OTHERS, f"From: {ME}\nTo: {ANN}\nAuto-Submitted: auto-replied\n", False),
)


@pytest.mark.parametrize(("side", "header", "awaits"), AWAITS)
def test_what_may_await_a_reply(side: str, header: str, *, awaits: bool) -> None:
    headers = parse_headers(header.replace("\n", "\r\n").encode())
    assert may_await_reply(headers, AwaitedReply(side=side, own=(ME,))) is awaits


def test_all_of_sent_is_the_owners() -> None:
    headers = parse_headers(b"From: sales@office.example\r\nTo: ann@ann.example\r\n\r\n")
    assert not may_await_reply(headers, AwaitedReply(side=FROM_OTHERS, own=(ME,)))
    assert may_await_reply(headers, AwaitedReply(side=FROM_OTHERS, own=(ME,), only_sent=True))
