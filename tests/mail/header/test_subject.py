import pytest

from mailmcp.mail.header.subject import is_forward_subject, split_subject


@pytest.mark.parametrize(
    ("subject", "base", "is_reply"),
    [
        ("Offer", "offer", False),
        ("Re: Offer", "offer", True),
        ("RE[2]: Offer", "offer", True),
        ("Antw.: nothing known", "antw.: nothing known", False),
    ],
)
def test_base_subjects(subject: str, base: str, *, is_reply: bool) -> None:
    assert split_subject(subject) == (base, is_reply)


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
