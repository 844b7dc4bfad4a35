"""What one process learned of a server saves the next one a probe, until it is old or contradicted."""

import json
import stat
from pathlib import Path

import pytest

from imap.scenes import Clock, make_account, session_on
from imap.searches import letter, request, search_mailboxes, searches
from mailmcp import limits
from mailmcp.imap.kept import KeptFiles
from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.workarounds import probes
from mailmcp.model.feature import Feature
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage

CAPABILITIES = ("IMAP4rev1", "LITERAL+", "ESEARCH")
NOTHING = Respond(b"* SEARCH\r\n{tag} OK -\r\n")
IGNORES_SUBJECT = Rule(command="UID SEARCH", containing="SUBJECT", action=NOTHING)


def messages() -> list[PeerMessage]:
    return [
        letter(uid, f"secret subject {uid % 3}", sender=f"Ann <ann-{uid}@example.org>") for uid in range(1, 9)
    ]


def search(server: Peer, files: KeptFiles | None) -> tuple[int, Quirks]:
    """Search as a process does that has just started; return how many searches the server received."""
    quirks = Quirks(clock=Clock(), kept=files)
    before = len(searches(server))
    with session_on(make_account(server), quirks) as session:
        [page] = search_mailboxes(session, [request(subject="secret")])
    assert getattr(page, "uids", None) == tuple(range(8, 0, -1))
    return len(searches(server)) - before, quirks


def test_a_second_process_searches_without_a_probe(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=messages(), capabilities=CAPABILITIES)
    files = KeptFiles(folder=tmp_path / "new" / "servers")
    probing, first = search(server, files)
    assert probing > 5
    once, second = search(server, files)
    assert once == 1
    assert second.verdicts == first.verdicts
    assert second.largest_shown_whole == first.largest_shown_whole == 8


def test_a_server_that_fails_is_known_to_fail(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=messages(), capabilities=CAPABILITIES, rules=[IGNORES_SUBJECT])
    search(server, KeptFiles(folder=tmp_path))
    count, quirks = search(server, KeptFiles(folder=tmp_path))
    assert count <= 1
    assert quirks.verdict(Feature.SUBJECT) is Verdict.WRONG


@pytest.mark.parametrize("changed", ["release", "age", "clock", "shape", "feature", "not JSON"])
def test_what_may_no_longer_be_true_is_not_used(
    peer: PeerFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    clock = Clock()
    server = peer(messages=messages(), capabilities=CAPABILITIES)
    search(server, KeptFiles(folder=tmp_path, clock=clock))
    [path] = tmp_path.iterdir()
    kept = json.loads(path.read_text())
    match changed:
        case "release":
            monkeypatch.setattr(probes, "__version__", "99")
        case "age":
            clock.now += limits.KEPT_AGE_MAX_S
        case "clock":
            clock.now -= 1
        case "shape":
            path.write_text(json.dumps({"at": kept["at"], "verdicts": ["FROM"]}))
        case "feature":
            path.write_text(json.dumps(kept | {"verdicts": {"TELEPATHY": "ok"}}))
        case _:
            path.write_bytes(b"\xff{")
    count, _ = search(server, KeptFiles(folder=tmp_path, clock=clock))
    assert count > 5


def test_other_capabilities_are_another_server(peer: PeerFactory, tmp_path: Path) -> None:
    quirks = Quirks(kept=KeptFiles(folder=tmp_path))
    names = set()
    for capabilities in (CAPABILITIES, (*CAPABILITIES, "SORT")):
        with session_on(
            make_account(peer(messages=messages(), capabilities=capabilities)), quirks
        ) as session:
            names.add(probes.identify(session).partition("\n")[2])
    assert len(names) == 2


def test_a_contradicted_verdict_is_forgotten(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=messages(), capabilities=CAPABILITIES)
    files = KeptFiles(folder=tmp_path)
    search(server, files)
    _, quirks = search(server, files)
    assert list(tmp_path.iterdir())
    quirks.distrust(Feature.FLAGS)
    assert not list(tmp_path.iterdir())
    assert search(server, files)[0] > 5


def test_a_process_probes_again_when_its_verdicts_expire(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=messages(), capabilities=CAPABILITIES)
    search(server, KeptFiles(folder=tmp_path))
    clock = Clock()
    with session_on(make_account(server), Quirks(clock=clock, kept=KeptFiles(folder=tmp_path))) as session:
        before = len(searches(server))
        search_mailboxes(session, [request(subject="secret")])
        assert len(searches(server)) - before == 1
        clock.now += limits.VERDICT_AGE_MAX_S
        search_mailboxes(session, [request(subject="secret")])
        assert len(searches(server)) - before > 5


def test_a_folder_that_cannot_be_used_costs_only_the_probe(peer: PeerFactory, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    server = peer(messages=messages(), capabilities=CAPABILITIES)
    assert search(server, KeptFiles(folder=tmp_path / "file"))[0] > 5
    assert search(server, KeptFiles(folder=tmp_path / "file"))[0] > 5


def test_a_file_is_private_holds_no_mail_and_old_ones_go(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer(messages=messages(), capabilities=CAPABILITIES)
    search(server, KeptFiles(folder=tmp_path))
    [path] = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_text() + path.name
    assert not [word for word in ("secret", "ann", "fake-user", server.host, "INBOX") if word in content]
    later = Clock(path.stat().st_mtime + limits.KEPT_AGE_MAX_S + 1)
    KeptFiles(folder=tmp_path, clock=later).write("another server", {})
    assert path not in list(tmp_path.iterdir())
