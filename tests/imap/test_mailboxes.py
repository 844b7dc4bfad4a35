"""All mailboxes are listed, with names, uses and counts; what could not be counted is said."""

import pytest

from imap.scenes import At, make_account, session_on
from mailmcp.imap.mailboxes import Mailbox, count_mailboxes, list_mailboxes
from mailmcp.imap.session import Quirks, Session, quoted_mailbox
from mailmcp.imap.special_use import usual_use
from mailmcp.reasons import Reason
from mcp_envelope import ToolError
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox

LETTER = b"Subject: A\r\n\r\nText\r\n"


def count_all(session: Session) -> tuple[list[Mailbox], dict[str, ToolError]]:
    return count_mailboxes(session, list_mailboxes(session, with_counts=True))


def listed(peer: PeerFactory, lines: bytes, quirks: Quirks | None = None) -> list[Mailbox]:
    server = peer(rules=[Rule(command="LIST", action=Respond(lines + b"{tag} OK -\r\n"))])
    with session_on(make_account(server), quirks) as session:
        return list(list_mailboxes(session))


def test_dovecot_lists_and_counts_in_one_round_trip(dovecot: Dovecot, dovecot_user: Login) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [LETTER] * 3)
    dovecot.fill(dovecot_user.user, "Reisen/Zürich", [LETTER], flags=[b"\\Seen"])
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        before = session.traffic.round_trips
        found, uncounted = count_all(session)
        assert session.traffic.round_trips == before + 1
    assert uncounted == {}
    by_name = {each.name: each for each in found}
    assert list(by_name) == [
        "INBOX", "Archive", "Drafts", "Junk", "Reisen", "Reisen/Zürich", "Sent", "Trash",
    ]  # fmt: skip
    assert by_name["INBOX"] == Mailbox(name="INBOX", delimiter="/", selectable=True, messages=3, unseen=3)
    assert by_name["Reisen/Zürich"].unseen == 0
    assert not by_name["Reisen"].selectable
    assert (by_name["Sent"].special_use, by_name["Sent"].special_use_guessed) == ("\\Sent", False)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"{tag} NO [NOPERM] Not yours\r\n", Reason.PERMISSION_DENIED),
        (b"{tag} OK -\r\n", Reason.PROTOCOL_VIOLATION),
        (b'* STATUS "Box" (MESSAGES NIL)\r\n{tag} OK -\r\n', Reason.PROTOCOL_VIOLATION),
        (b'* STATUS "Box" (MESSAGES -5 UNSEEN -5)\r\n{tag} OK -\r\n', Reason.PROTOCOL_VIOLATION),
        (b'* STATUS "Box\r\n{tag} OK -\r\n', Reason.PROTOCOL_VIOLATION),
    ],
)
def test_a_mailbox_that_cannot_be_counted_is_named_with_the_reason(
    peer: PeerFactory, answer: bytes, reason: Reason
) -> None:
    rule = Rule(command="STATUS", containing="Box", action=Respond(answer))
    hollow = PeerMailbox(name="Hollow", attributes=("\\Noselect",))
    server = peer(mailboxes=[PeerMailbox(name="Box"), PeerMailbox(name="Other"), hollow], rules=[rule])
    with session_on(make_account(server)) as session:
        found, uncounted = count_all(session)
        session.run("NOOP")
    assert {name: each.reason for name, each in uncounted.items()} == {"Box": reason}
    assert {each.name: each.messages for each in found} == {
        "INBOX": 0,
        "Box": None,
        "Hollow": None,
        "Other": 0,
    }


@pytest.mark.parametrize("refused", [False, True])
def test_a_refusal_beside_list_status_is_reported_too(peer: PeerFactory, *, refused: bool) -> None:
    """RFC 5819 section 2: the server leaves the STATUS out; asked alone, it says why.

    One that advertises the options and refuses them is asked without them, from then on.
    """
    answer = b'* LIST () "/" "A"\r\n* STATUS "A" (MESSAGES 4 UNSEEN 1)\r\n* LIST () "/" "B"\r\n{tag} OK -\r\n'
    server = peer(
        capabilities=("IMAP4rev1", "LIST-EXTENDED", "LIST-STATUS", "SPECIAL-USE"),
        rules=[
            *([Rule(command="LIST", containing="RETURN", action=Respond(b"{tag} BAD What\r\n"))] * refused),
            Rule(command="LIST", action=Respond(answer)),
            Rule(command="STATUS", action=Respond(b"{tag} NO [LIMIT] Enough\r\n")),
        ],
    )
    with session_on(make_account(server)) as session:
        count_all(session)
        found, uncounted = count_all(session)
    counts = [(each.name, each.messages, each.unseen) for each in found]
    assert counts == [("A", 4, 1), ("B", None, None)]
    assert r'NO "\[LIMIT] Enough"' in uncounted["B"].message
    lines = [command.line for command in server.commands if command.name == "LIST"]
    with_options = 'LIST "" "*" RETURN (SPECIAL-USE STATUS (MESSAGES UNSEEN))'
    plain = 'LIST "" "*"'
    assert lines == ([with_options, plain, plain] if refused else [with_options, with_options])


@pytest.mark.parametrize(
    ("names", "found"),
    [
        # By the usual names, the least nested one first; never beside one that is said.
        (
            {
                "Sent Items": "",
                "Old/Sent": "",
                "Sent": "\\Noselect",
                "Papierkorb": "\\HasNoChildren \\TRASH",
                "Trash": "",
                "Work/spam": "",
                "DRAFTS": "",
                "Important": "",
            },
            {"Sent Items": "\\Sent?", "Papierkorb": "\\Trash", "Work/spam": "\\Junk?", "DRAFTS": "\\Drafts?"},
        ),
        # Each program may have made a Trash and a Junk, but only one Sent counts.
        (
            dict.fromkeys(["Trash", "Papierkorb", "Spam", "Junk", "Sent", "Gesendet", "Old/Trash"], ""),
            {
                "Trash": "\\Trash?",
                "Papierkorb": "\\Trash?",
                "Spam": "\\Junk?",
                "Junk": "\\Junk?",
                "Gesendet": "\\Sent?",
            },
        ),
    ],
)
def test_special_uses_that_are_not_said_are_guessed(
    peer: PeerFactory, names: dict[str, str], found: dict[str, str]
) -> None:
    boxes = [PeerMailbox(name=name, attributes=tuple(given.split())) for name, given in names.items()]
    with session_on(make_account(peer(mailboxes=boxes))) as session:
        every = list_mailboxes(session)
    uses = {each.name: each.special_use + "?" * each.special_use_guessed for each in every}
    assert {name: use for name, use in uses.items() if use} == found


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("INBOX.Gesendete Objekte", "\\Sent"),
        ("[Gmail]/Corbeille", "\\Trash"),
        ("E\N{COMBINING ACUTE ACCENT}LÉMENTS supprimés", "\\Trash"),
        ("Projects/Archive 2024", ""),
        ("Presents", ""),
    ],
)
def test_a_use_is_guessed_by_the_last_level(name: str, use: str) -> None:
    assert usual_use(name) == use


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b'"InBox"', "INBOX"),
        ('"\N{LATIN SMALL LETTER DOTLESS I}nbox"'.encode(), "\N{LATIN SMALL LETTER DOTLESS I}nbox"),
        (b'"a\\"b\\\\c"', 'a"b\\c'),
        (b'{4}\r\na"b*', 'a"b*'),
        (b"{12}\r\nM\xc3\xbcll/S\xc3\xb6hne", "Müll/Söhne"),
        (b'"M\xc3\xbcll"', "Müll"),
        (b'"Caf\xe9"', "Caf\\xe9"),
        (b'"Entw&APw-rfe"', "Entwürfe"),
        (b'"A &- B"', "A & B"),
        (b'"A & B"', "A & B"),
        (b'"&AOQ"', "ä"),
        (b'"&###-"', "&###-"),
        (b'"&2AA-"', "&2AA-"),
        (b'"a&AA0ACgAA-b&APw-"', "a\ufffd\ufffd\ufffdbü"),
        (b"2024", "2024"),
        (b'"NIL"', "NIL"),
        (b'""', ""),
    ],
)
def test_a_name_is_decoded_and_sent_back_as_it_was(peer: PeerFactory, raw: bytes, name: str) -> None:
    quirks = Quirks()
    [mailbox] = listed(peer, b'* LIST (\\HasNoChildren) "/" ' + raw + b"\r\n", quirks)
    assert mailbox.name == name
    octets = raw.partition(b"\r\n")[2] or raw.strip(b'"').replace(b'\\"', b'"').replace(b"\\\\", b"\\")
    quoted = b'"' + octets.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    assert quoted_mailbox(quirks, name) == (quoted if octets.isascii() else octets)
    mailbox.name.encode()


@pytest.mark.parametrize(
    ("delimiter", "expected"),
    [(b'"."', "."), (b'"\\\\"', "\\"), (b"NIL", ""), (b"nil", ""), (b'"\x85"', "")],
)
def test_the_separator_may_be_any_character_or_none(
    peer: PeerFactory, delimiter: bytes, expected: str
) -> None:
    [mailbox] = listed(peer, b"* LIST () " + delimiter + b' "Sent"\r\n')
    assert (mailbox.delimiter, mailbox.special_use) == (expected, "\\Sent")


@pytest.mark.parametrize("line", [b"", b'() "/"', b'x "/" "Box"', b'(1) "/" "Box"', b'(() "/" "Box"'])
def test_a_line_that_cannot_be_read_leaves_the_others(peer: PeerFactory, line: bytes) -> None:
    lines = b"* LIST " + line + b'\r\n* LIST () "/" "Other"\r\n'
    assert [each.name for each in listed(peer, lines)] == ["Other"]


@pytest.mark.parametrize("evil", [b"a\r\nx1 DELETE INBOX", b"a\nb", b"a\0b", b"\xc3\xa4\r\nb"])
def test_a_name_with_line_ends_is_never_sent_back_raw(peer: PeerFactory, evil: bytes) -> None:
    """A server may send one within a literal; it is shown, and asked for, without them."""
    literal = b'* LIST () "/" {%d}\r\n%b\r\n{tag} OK -\r\n' % (len(evil), evil)
    server = peer(rules=[Rule(command="LIST", action=Respond(literal))])
    with session_on(make_account(server)) as session:
        [mailbox] = list_mailboxes(session)
        assert not set("\r\n\0") & set(mailbox.name)
        _, uncounted = count_mailboxes(session, [mailbox])
        assert uncounted[mailbox.name].reason is Reason.MAILBOX_MISSING
    sent = server.commands[-1]
    assert sent.name == "STATUS"
    assert not set("\r\n\0") & set(sent.line)
