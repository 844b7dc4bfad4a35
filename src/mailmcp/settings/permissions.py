"""What other users of this machine can do with the settings file, judged as by SSH (`StrictModes`).

Access control lists aren't read, and nothing is known of Windows, whose permissions are of another kind.
"""

import os
import stat
import sys
from pathlib import Path

from mailmcp.settings.sources import FileSource

if sys.platform != "win32":
    import grp
    import pwd

_READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


def permission_warnings(source: FileSource) -> list[str]:
    """Warn of secrets that others can read, and of a file that others can change."""
    path = source.path
    if path is None or os.name == "nt":
        return []
    secrets = []
    if path.stat().st_mode & _READABLE_BY_OTHERS:
        secrets += [("a password", "password_command")] if source.account_values("password") else []
        secrets += (
            [("a client secret", "client_secret_env")] if source.account_values("client_secret") else []
        )
        secrets += [("the HTTP token", "http_token_env")] if source.server_value("http_token") else []
    warnings = [
        f"{path}: contains {secret}, and other users of this machine can read it; "
        f"run chmod 600 on it, or use {instead}"
        for secret, instead in secrets
    ]
    for place in find_changeable(path):
        file = path.resolve()
        can = "change this file" if place == file else "write to this folder and so replace the settings file"
        warnings.append(
            f"{place}: other users of this machine can {can}, which names mail servers and programs to run; "
            "run chmod go-w on it"
        )
    return warnings


def find_changeable(path: Path) -> list[Path]:
    """Return what others can change: the file, and folders above it in which they can replace it.

    For a symbolic link, the folders above both its ends count.
    """
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
        return False  # others can add files, but replace only their own
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_private_group(status.st_gid)


def _is_private_group(gid: int) -> bool:
    """Return whether a group is the user's alone, as Linux systems create one and let it write."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and gid == user.pw_gid and set(group.gr_mem) <= {user.pw_name}
