"""Names as servers write them: decoded to show, sent back as they were, never able to end a command."""

import pytest

from imap.scenes import make_account, session_on
from mailmcp.imap.mailboxes import Mailbox, count_mailboxes, decode_mailbox, list_mailboxes
from mailmcp.imap.session import Quirks, quoted_mailbox
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule


def listed(peer: PeerFactory, lines: bytes, quirks: Quirks | None = None) -> list[Mailbox]:
    server = peer(rules=[Rule(command="LIST", action=Respond(lines + b"{tag} OK -\r\n"))])
    with session_on(make_account(server), quirks) as session:
        return list(list_mailboxes(session))


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"INBOX", "INBOX"),
        (b"inbox", "INBOX"),
        (b'"InBox"', "INBOX"),
        (b'"Sent Mail"', "Sent Mail"),
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
        (b'"A&"', "A&"),
        (b'"&"', "&"),
        (b'"&2AA-"', "&2AA-"),
        (b'"a&AA0ACgAA-b&APw-"', "a\ufffd\ufffd\ufffdbü"),
        (rb'"a\\x41"', r"a\x41"),
        (b"2024", "2024"),
        (b'"007"', "007"),
        (b'"NIL"', "NIL"),
        (b'""', ""),
    ],
)
def test_a_name_is_decoded_and_sent_back_as_it_was(peer: PeerFactory, raw: bytes, name: str) -> None:
    quirks = Quirks()
    [mailbox] = listed(peer, b'* LIST (\\HasNoChildren) "/" ' + raw + b"\r\n", quirks)
    assert mailbox.name == name
    octets = raw.partition(b"\r\n")[2] or raw.strip(b'"').replace(b'\\"', b'"').replace(b"\\\\", b"\\")
    sent = quoted_mailbox(quirks, name)
    if octets.isascii():
        assert sent == b'"' + octets.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    else:
        assert sent == octets
    mailbox.name.encode()


def test_two_names_that_cannot_be_decoded_stay_two(peer: PeerFactory) -> None:
    lines = b'* LIST () "/" "Caf\xe9"\r\n* LIST () "/" "Caf\xe8"\r\n'
    assert [each.name for each in listed(peer, lines)] == ["Caf\\xe8", "Caf\\xe9"]


@pytest.mark.parametrize(
    ("canonical", "other", "name"),
    [
        (b'"A&-B"', b'"A&B"', "A&B"),
        (b'"&AOk-"', b'"\xc3\xa9"', "é"),
        (b'"Aa"', b'"A&AGE-"', "Aa"),
        (b'"E\\\\xff"', b'"E\xff"', r"E\xff"),
    ],
)
def test_of_two_spellings_of_a_name_the_canonical_one_is_read(
    peer: PeerFactory, canonical: bytes, other: bytes, name: str
) -> None:
    """Nobody who shares a mailbox with a strange spelling takes the place of the real one."""
    for first, second in [(canonical, other), (other, canonical)]:
        quirks = Quirks()
        lines = b'* LIST (\\Sent) "/" %b\r\n* LIST () "/" %b\r\n' % (first, second)
        [mailbox] = listed(peer, lines, quirks)
        assert (mailbox.name, bool(mailbox.special_use)) == (name, first == canonical)
        assert quoted_mailbox(quirks, name) == canonical


@pytest.mark.parametrize(
    ("delimiter", "expected"),
    [(b'"/"', "/"), (b'"."', "."), (b'"\\\\"', "\\"), (b"NIL", ""), (b"nil", ""), (b'"\x85"', "")],
)
def test_the_separator_may_be_any_character_or_none(
    peer: PeerFactory, delimiter: bytes, expected: str
) -> None:
    [mailbox] = listed(peer, b"* LIST () " + delimiter + b' "Sent"\r\n')
    assert (mailbox.delimiter, mailbox.special_use) == (expected, "\\Sent")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"()",
        b'() "/"',
        b'x "/" "Box"',
        b'NIL "/" "Box"',
        b'(1) "/" "Box"',
        b'(() "/" "Box"',
        b'() "/" "Box',
    ],
)
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
        assert session.quirks.raw_names == {}
        assert not set("\r\n\0") & set(mailbox.name)
        assert count_mailboxes(session, [mailbox]).uncounted == {
            mailbox.name: (r'NO "\[NONEXISTENT] No such mailbox"', False)
        }
    sent = server.commands[-1]
    assert sent.name == "STATUS"
    assert not set("\r\n\0") & set(sent.line)


def test_inbox_has_one_name_in_any_case_and_no_look_alike() -> None:
    assert decode_mailbox(b"iNbOx") == "INBOX"
    dotless = "\N{LATIN SMALL LETTER DOTLESS I}nbox"
    assert decode_mailbox(dotless.encode()) == dotless
