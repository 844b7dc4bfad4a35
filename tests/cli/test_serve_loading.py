"""What calls need is loaded after the tools were listed: what happens meanwhile, and if it cannot be."""

import socket
from pathlib import Path

from cli.conftest import Serve
from cli.settings_files import write_settings
from servers.peer import PeerFactory
from servers.peer_mailbox import make_messages
from tools.stores import peer_account

WAIT_S = 30.0

FINDER = """
import socket
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "mailmcp.server.service":
            {found}

sys.meta_path.insert(0, Finder())
"""

HELD_BACK = """
            with socket.socket(socket.AF_UNIX) as disk:
                disk.connect({path!r})
                disk.recv(1)
"""

BROKEN = """
            raise ImportError("hushed-by-nobody")
"""


def test_it_ends_with_stdin_also_while_it_loads(serve: Serve, peer: PeerFactory, tmp_path: Path) -> None:
    """As from a disk that never answers: nothing can interrupt its thread."""
    path = str(tmp_path / "disk")
    (tmp_path / "sitecustomize.py").write_text(FINDER.format(found=HELD_BACK.format(path=path).strip()))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        listener.settimeout(WAIT_S)
        config = write_settings(tmp_path, peer_account(peer()))
        served = serve("serve", "--config", str(config), environment={"PYTHONPATH": str(tmp_path)})
        served.introduce()
        tools = served.request("tools/list", {})["result"]["tools"]
        asked, _ = listener.accept()
        with asked:
            served.send("tools/call", {"name": tools[0]["name"], "arguments": {}})
            # Meanwhile it answers what needs nothing of it.
            assert served.request("tools/list", {})["result"]["tools"] == tools
            assert served.request("resources/list", {})["result"]["resources"]
            assert served.close() == 0


def test_a_damaged_installation_is_said_in_reply_and_log(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FINDER.format(found=BROKEN.strip()))
    config = write_settings(tmp_path, peer_account(peer(messages=make_messages(1))))
    served = serve("serve", "--config", str(config), environment={"PYTHONPATH": str(tmp_path)})
    served.introduce()
    error = served.request("tools/call", {"name": "imap_list_accounts", "arguments": {}})["error"]
    assert (error["code"], error["data"]["code"]) == (-32603, "internal")
    assert "hushed-by-nobody" not in str(error)
    assert served.close() == 0
    assert "hushed-by-nobody" in served.stderr
