"""Files, in memory or saved: within their ceilings, and never taken for whole when they are not."""

import hashlib
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from mailmcp import limits
from mailmcp.reasons import Reason
from mailmcp.tools.attachment import file
from mailmcp.tools.attachment.tool import GetAttachmentArguments, get_attachment
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.tool import Call
from mcp_envelope import InvalidInputError, read_arguments
from servers.peer import PeerFactory
from servers.peer_actions import Close, Respond, Rule, Silence
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.files import MIB, PEER_ID, ZIP, attached, get, peer_message, refused, store_and_find
from tools.stores import Store, peer_account


def test_saving_is_off_until_the_user_names_a_folder(store: Store, desk: Desk) -> None:
    message_id = store_and_find(store, desk, attached(("a.zip", ZIP, "application/zip")))
    error = refused(desk, message_id, mode="save")
    assert isinstance(error, InvalidInputError)
    assert error.reason is Reason.SWITCHED_OFF
    assert "save_folder" in error.message
    assert "MAILMCP_SAVE_FOLDER" in error.message


@pytest.mark.parametrize("size", [0, 1_000, 3 * MIB])
def test_a_file_is_saved_in_pieces(store: Store, desk: Desk, tmp_path: Path, size: int) -> None:
    desk.preferences = Preferences(save_folder=tmp_path)
    content = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    message_id = store_and_find(store, desk, attached(("../ev\u202eil.bin", content, "application/x-a")))
    for name in ("evil.bin", "evil (2).bin"):
        reply = get(desk, message_id, mode="save")
        path = tmp_path / name
        assert path.read_bytes() == content
        assert reply.data["saved_path"] == str(path)
        assert reply.data["sha256"] == hashlib.sha256(content).hexdigest()
        assert reply.data["size_bytes"] == size
        assert str(path) in reply.text
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_too_large_to_save_is_refused(
    store: Store, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.preferences = Preferences(save_folder=tmp_path)
    monkeypatch.setattr(file, "_SAVED_OCTETS_MAX", 1_000)
    message_id = store_and_find(store, desk, attached(("a.bin", ZIP[::-1] * 100, "application/zip")))
    assert refused(desk, message_id, mode="save").reason is Reason.TOO_LARGE
    assert list(tmp_path.iterdir()) == []
    action = refused(desk, message_id).next_action
    assert action is not None
    assert action.arguments["mode"] == "content"


def test_with_a_folder_the_next_step_of_a_file_without_text_is_to_save_it(
    store: Store, desk: Desk, tmp_path: Path
) -> None:
    desk.preferences = Preferences(save_folder=tmp_path)
    message_id = store_and_find(store, desk, attached(("p.png", b"\x89PNG\0", "image/png")))
    action = refused(desk, message_id).next_action
    assert action is not None
    assert desk.call(action.tool, dict(action.arguments)).data["saved_path"] == str(tmp_path / "p.png")


@pytest.mark.parametrize("mode", ["text", "content", "save"])
def test_less_than_announced_is_never_taken_for_complete(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 6)
    nothing = b"* 1 FETCH (UID 1 BODY[2]<12> {0}\r\n)\r\n{tag} OK Done\r\n"
    server = peer(
        messages=[peer_message()], rules=[Rule(command="UID FETCH", nth=3, action=Respond(nothing))]
    )
    desk = open_desk(peer_account(server))
    desk.preferences = Preferences(save_folder=tmp_path)
    reply = get(desk, PEER_ID, mode=mode)
    assert reply.data["status"] == "partial"
    assert [issue["stage"] for issue in reply.data["issues"]] == ["fetch"]
    assert "may be cut" in reply.text


@pytest.mark.parametrize("mode", ["content", "save"])
def test_more_than_announced_stays_within_the_limit(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(limits, "ATTACHMENT_CONTENT_OCTETS_MAX", 100)
    monkeypatch.setattr(file, "_SAVED_OCTETS_MAX", 100)
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 30)
    large = b"A" * 5_000
    lie = b"* 1 FETCH (UID 1 BODY[2]<30> {%d}\r\n%b)\r\n{tag} OK Done\r\n" % (len(large), large)
    server = peer(
        messages=[peer_message(octets=b"QUJD\r\n" * 6)],
        rules=[Rule(command="UID FETCH", nth=2, action=Respond(lie))],
    )
    desk = open_desk(peer_account(server))
    desk.preferences = Preferences(save_folder=tmp_path)
    assert refused(desk, PEER_ID, mode=mode).reason is Reason.TOO_LARGE
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["content", "save"])
def test_a_broken_encoding_is_a_warning(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, mode: str
) -> None:
    desk = open_desk(peer_account(peer(messages=[peer_message(octets=b"QUJD!QUJD")])))
    desk.preferences = Preferences(save_folder=tmp_path)
    reply = get(desk, PEER_ID, mode=mode)
    assert reply.outcome.warnings == ("The attachment is malformed and may be damaged: broken base64.",)


def test_a_connection_that_is_lost_for_good_leaves_nothing_behind(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 6)
    rules = [Rule(command="UID FETCH", containing="<6.6>", action=Close("before"))]
    desk = open_desk(peer_account(peer(messages=[peer_message()], rules=rules)))
    desk.preferences = Preferences(save_folder=tmp_path)
    assert refused(desk, PEER_ID, mode="save").reason is Reason.CONNECTION_LOST
    assert list(tmp_path.iterdir()) == []


def test_a_connection_that_is_lost_once_is_replaced_and_one_file_saved(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 6)
    rules = [Rule(command="UID FETCH", containing="<6.6>", nth=1, action=Close("within"))]
    desk = open_desk(peer_account(peer(messages=[peer_message()], rules=rules)))
    desk.preferences = Preferences(save_folder=tmp_path)
    get(desk, PEER_ID, mode="save")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"ABC" * 5]


def test_a_cancelled_save_leaves_nothing_behind(
    peer: PeerFactory, open_desk: DeskFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client gives up while the second range is awaited: the thread ends, and takes its file along."""
    monkeypatch.setattr(limits, "PART_RANGE_OCTETS", 6)
    rules = [Rule(command="UID FETCH", containing="<6.6>", action=Silence())]
    server = peer(messages=[peer_message()], rules=rules)
    desk = open_desk(peer_account(server))
    desk.preferences = Preferences(save_folder=tmp_path)
    arguments = read_arguments(
        GetAttachmentArguments, {"message_id": PEER_ID, "part_id": "2", "mode": "save"}
    )

    def names() -> list[str]:
        return [path.name for path in tmp_path.iterdir()]

    async def give_up(call: Call) -> list[str]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(get_attachment, arguments, call)
            await to_thread.run_sync(partial(server.wait_for, "UID FETCH", nth=2))
            before = names()
            tasks.cancel_scope.cancel()
        return before

    (name,) = desk.run(give_up)
    assert name == "part-2.bin"
    assert names() == []
