import pytest

from mailmcp.mail.header.subject import is_forward_subject, is_reply_subject


@pytest.mark.parametrize(
    ("subject", "is_reply"),
    [
        ("Offer", False),
        ("RE[2]: Offer", True),
        ("Fwd: Offer", False),
        ("WG: AW: Offer", True),
    ],
)
def test_subjects_of_replies_are_known(subject: str, *, is_reply: bool) -> None:
    assert is_reply_subject(subject) is is_reply


@pytest.mark.parametrize(
    ("subject", "forward"),
    [
        ("Fwd: Tea", True),
        ("FW: Tea", True),
        ("[list] Fwd: Tea", True),
        ("[EXT] [list]  Fwd: Tea", True),
    ],
)
def test_subjects_of_forwarded_messages_are_known(subject: str, *, forward: bool) -> None:
    assert is_forward_subject(subject) is forward
