import pytest

from mailmcp.mail.header.subject import is_forward_subject, split_subject


@pytest.mark.parametrize(
    ("subject", "base", "is_reply"),
    [
        ("Offer", "offer", False),
        ("Re: Offer", "offer", True),
        ("RE[2]: Offer", "offer", True),
        ("Re: Re: AW: SV: Offer", "offer", True),
        ("Fwd: Offer", "offer", False),
        ("WG: AW: Offer", "offer", True),
        ("[list] Re: [list]  Of  fer", "of fer", True),
        ("Antw.: nothing known", "antw.: nothing known", False),
        ("回复:会议", "会议", True),
        ("Отв: Встреча", "встреча", True),
        ("Re:", "re:", False),
        ("Regarding: the offer", "regarding: the offer", False),
        ("VS: Tarjous", "tarjous", True),
        ("Továbbítás: Ajánlat", "ajánlat", False),
        ("転送: 会議", "会議", False),
        ("", "", False),
    ],
)
def test_base_subjects(subject: str, base: str, *, is_reply: bool) -> None:
    assert split_subject(subject) == (base, is_reply)


@pytest.mark.parametrize(
    ("subject", "forward"),
    [
        ("Fwd: Tea", True),
        ("FW: Tea", True),
        ("WG: Tee", True),
        ("TR : Thé", True),
        ("[list] Fwd: Tea", True),
        ("[EXT] [list]  Fwd: Tea", True),
        ("VL: Tee", True),
        ("пересл: Чай", True),
        ("转发\uff1a茶", True),
        ("Re: Fwd: Tea", False),
        ("Forward planning", False),
        ("Internal: Tea", False),
        ("", False),
    ],
)
def test_subjects_of_forwarded_messages_are_known(subject: str, *, forward: bool) -> None:
    assert is_forward_subject(subject) is forward
