"""What the README shows can be pasted."""

import json
import re
import shlex
from pathlib import Path

import anyio
import click
from scripts.picture import PICTURE, draw, play, wrap

from mailmcp.cli.main import cli
from mailmcp.hosts.table import HOSTS, Launch

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
COMMAND = "/path/to/checkout/.venv/bin/mailmcp"


def test_the_entries_for_hosts_are_those_that_install_makes() -> None:
    hosts = {host.host_id: host for host in HOSTS}
    launch = Launch(command=COMMAND, args=("serve",))
    (shown,) = re.findall(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    desktop = hosts["claude-desktop"]
    assert json.loads(shown) == {desktop.key: {"mailmcp": desktop.make_entry(launch)}}
    add = hosts["claude-code"].add
    assert add is not None
    assert f"$ {shlex.join(add('mailmcp', launch))}\n" in README


def test_the_commands_exist() -> None:
    named = set(re.findall(r"bin/mailmcp (\w+)", README))
    assert named <= set(cli.list_commands(click.Context(cli)))
    assert named >= {"setup", "install"}


def test_the_picture_is_what_it_would_be_now() -> None:
    """`scripts/docs` draws it again."""
    assert PICTURE.read_text(encoding="utf-8") == draw(wrap(anyio.run(play)))
