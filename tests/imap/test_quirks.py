"""Nothing is held against a server at first; what is learned counts for all sessions of the account."""

import pytest

from imap.scenes import Clock, make_account, newest, session_on
from mailmcp import limits
from mailmcp.imap.command import RefusedError
from mailmcp.imap.quirks import Quirks, Verdict, Visibility, is_unsupported
from mailmcp.model.feature import Feature
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages


def test_nothing_is_known_at_first() -> None:
    quirks = Quirks()
    assert {quirks.verdict(each) for each in Feature} == {Verdict.UNKNOWN}
    assert all(map(quirks.trusts, Feature)), "what is unknown is trusted"
    assert quirks.raw_names is not Quirks().raw_names


def test_a_caught_feature_is_distrusted() -> None:
    quirks = Quirks(verdicts={Feature.SORT: Verdict.OK})
    quirks.distrust(Feature.SUBJECT)
    assert [each for each in Feature if not quirks.trusts(each)] == [Feature.SUBJECT]
    assert quirks.verdict(Feature.SUBJECT) is Verdict.WRONG
    assert quirks.verdict(Feature.SORT) is Verdict.OK


def test_one_partial_mailbox_is_a_verdict_on_the_account() -> None:
    quirks = Quirks()
    assert quirks.largest_shown_whole == 0
    quirks.learn_visibility("Small", Visibility(shown=10, exists=15))
    assert (quirks.verdict(Feature.VIEW), quirks.largest_shown_whole) == (Verdict.OK, 15)
    quirks.learn_visibility("Large", Visibility(shown=10, exists=16))
    assert (quirks.verdict(Feature.VIEW), quirks.largest_shown_whole) == (Verdict.WRONG, 15)
    quirks.learn_visibility("Large", Visibility(shown=20, exists=16))
    assert (quirks.verdict(Feature.VIEW), quirks.largest_shown_whole) == (Verdict.WRONG, 16), (
        "others may hide some"
    )


def test_what_one_session_learned_another_knows(peer: PeerFactory) -> None:
    bad = Rule(command="UID SEARCH", containing="RETURN", action=Respond(b"{tag} OK -\r\n"))
    server = peer(messages=make_messages(1), rules=[bad])
    quirks = Quirks()
    for _ in range(2):
        with session_on(make_account(server), quirks) as session:
            assert newest(session) == [1]
    assert sum("RETURN" in command.line for command in server.commands) == 1


def test_verdicts_expire() -> None:
    clock = Clock()
    quirks = Quirks(clock=clock)
    quirks.distrust(Feature.SUBJECT)
    assert quirks.begin_probe()
    quirks.end_probes()
    clock.now += limits.VERDICT_AGE_MAX_S - 1
    quirks.learn(Feature.SORT, Verdict.OK)
    assert (quirks.trusts(Feature.SUBJECT), quirks.begin_probe()) == (False, False)
    clock.now += 1
    assert (quirks.trusts(Feature.SUBJECT), quirks.begin_probe()) == (True, True)
    assert quirks.verdict(Feature.SORT) is Verdict.OK, "it is younger"


@pytest.mark.parametrize(
    ("text", "unsupported"),
    [
        ("Unknown key", True),
        ("[CANNOT] Not here", True),
        ("[BADCHARSET (US-ASCII)] No", True),
        ("[THROTTLED] Slow down", False),
        ("[UNAVAILABLE] Later", False),
        ("[NOPERM] Not yours", False),
    ],
)
def test_a_response_code_shows_whether_a_command_is_unsupported(text: str, *, unsupported: bool) -> None:
    assert is_unsupported(RefusedError("SEARCH", "NO", text)) is unsupported
