"""Who else can change a settings file."""

import os
import sys
from pathlib import Path

import pytest

from mailmcp.settings.permissions import find_changeable
from settings.loading import ACCOUNT, Load, Write

if sys.platform != "win32":
    import grp
    import pwd

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions are of another kind there")

OWN = None
OTHER = 54_321
"""A user, or a group, that this machine does not have."""


def change(path: Path, mode: int, user: int | None, group: int | None) -> None:
    """Skip the test if only the superuser can."""
    try:
        os.chown(path, -1 if user is None else user, -1 if group is None else group)
    except PermissionError:
        pytest.skip("only the superuser can give files away")
    path.chmod(mode)


FILES = [
    (0o600, OWN, OWN, False),
    (0o644, OWN, OWN, False),
    (0o644, OWN, OTHER, False),
    (0o664, OWN, OTHER, True),
    (0o646, OWN, OWN, True),
    (0o600, OTHER, OWN, True),
]
FOLDERS = [
    (0o700, OWN, OWN, False),
    (0o755, OWN, OTHER, False),
    (0o775, OWN, OTHER, True),
    (0o757, OWN, OWN, True),
    (0o1777, OWN, OWN, False),
    (0o1777, OTHER, OWN, True),
]


@pytest.mark.parametrize(("mode", "user", "group", "found"), FILES)
def test_a_file_that_others_can_change_is_found(
    tmp_path: Path, mode: int, user: int | None, group: int | None, *, found: bool
) -> None:
    file = tmp_path / "config.toml"
    file.touch()
    change(file, mode, user, group)
    assert find_changeable(file) == [file] * found


@pytest.mark.parametrize(("mode", "user", "group", "found"), FOLDERS)
def test_a_folder_in_which_others_can_replace_the_file_is_found_however_far_above(
    tmp_path: Path, mode: int, user: int | None, group: int | None, *, found: bool
) -> None:
    folder = tmp_path / "etc"
    file = folder / "mailmcp" / "config.toml"
    file.parent.mkdir(parents=True)
    file.touch()
    change(folder, mode, user, group)
    assert find_changeable(file) == [folder] * found


def test_the_group_of_the_user_alone_may_write(tmp_path: Path) -> None:
    """As Debian and Fedora set users up; skipped where this user's group is shared."""
    user = pwd.getpwuid(os.geteuid())
    if grp.getgrgid(user.pw_gid).gr_name != user.pw_name:
        pytest.skip("this user has no group of its own")
    file = tmp_path / "config.toml"
    file.touch()
    change(file, 0o664, OWN, user.pw_gid)
    assert find_changeable(file) == []


def test_both_ends_of_a_symbolic_link_count(tmp_path: Path) -> None:
    for name in ("open", "closed"):
        (tmp_path / name).mkdir()
    (tmp_path / "open").chmod(0o777)
    for end, other in (("open", "closed"), ("closed", "open")):
        file, link = tmp_path / end / "config.toml", tmp_path / other / "link.toml"
        file.touch(mode=0o600)
        link.symlink_to(file)
        assert find_changeable(link) == [tmp_path / "open"]


def test_loading_warns_of_what_others_can_change(path: Path, write: Write, load: Load) -> None:
    write(path, ACCOUNT).chmod(0o602)
    path.parent.chmod(0o777)
    assert load().warnings == (
        f"{path.parent}: other users of this machine can write to this folder and so replace the settings "
        "file, which names mail servers and programs to run; run chmod go-w on it",
        f"{path}: other users of this machine can change this file, which names mail servers and programs to "
        "run; run chmod go-w on it",
    )
    write(path, ACCOUNT)
    path.parent.chmod(0o700)
    assert load().warnings == ()
