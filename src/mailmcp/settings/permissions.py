"""Whether other users of this machine can change a file: judged as SSH judges its own (`StrictModes`).

Not known on Windows, whose permissions are of another kind; access control lists are not looked at.
"""

import os
import stat
import sys
from pathlib import Path

if sys.platform != "win32":
    import grp
    import pwd


def find_changeable(path: Path) -> list[Path]:
    """Return what others can change: the file, and folders above it in which they can replace it.

    Of a symbolic link, the folders above both its ends count.
    """
    if os.name == "nt":
        return []
    file = path.resolve()
    places = {_identity(each): each for each in (*path.parents, *file.parents, file)}
    return [each for each in places.values() if _is_changeable(each.stat())]


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _is_changeable(status: os.stat_result) -> bool:
    if status.st_uid not in {0, os.geteuid()}:
        return True
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return False  # others can add to it, but replace only what is theirs
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_private_group(status.st_gid)


def _is_private_group(gid: int) -> bool:
    """Tell whether it is a group for the user alone, as Linux systems make one and let it write."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and gid == user.pw_gid and set(group.gr_mem) <= {user.pw_name}
