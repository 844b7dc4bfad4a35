"""Conversations that can be made into threads."""

import pytest

from mailmcp.demo.sample.people import OWNER
from mailmcp.demo.sample.thread_texts import CONVERSATIONS, Conversation


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda conversation: conversation.subject)
def test_owner_takes_part_and_nobody_opens_alone(conversation: Conversation) -> None:
    speakers = [turn.speaker for turn in conversation.turns]
    assert OWNER in speakers
    assert any(speaker != OWNER for speaker in speakers)
    assert conversation.turns[0].hours_later == 0
    assert all(turn.hours_later > 0 for turn in conversation.turns[1:])


def test_subjects_are_unique() -> None:
    assert len({conversation.subject for conversation in CONVERSATIONS}) == len(CONVERSATIONS)
