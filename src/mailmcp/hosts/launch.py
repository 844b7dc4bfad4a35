"""Chooses the command that a host starts.

It must still work after updates of the host, of mailmcp and of uv, and it must be absolute, since hosts that
are started from a desktop don't have the PATH of a shell.

- If mailmcp is installed, it is the installed script, by the path where the shell finds it. uv and pipx renew
  the link `~/.local/bin/mailmcp` with each update, so it is written as it is and not followed.
- If mailmcp was started by uvx, its files are in uv's cache and may be gone tomorrow. Then it is `uvx` with
  what to run, which creates them again.
- If there is no script, it is Python with `-m mailmcp`.
"""

import json
import os
import shutil
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mailmcp.hosts.table import Launch


class NoLaunchError(Exception):
    """There is no command that will work tomorrow."""


def find_launch(config: Path | None) -> Launch:
    """Return how to start this mailmcp, with a settings file if one is named.

    Raises:
        NoLaunchError: It runs from a cache and there is no uvx, or its path can't be written into a file.
    """
    launch = choose_launch(
        config,
        prefix=Path(sys.prefix),
        scripts=Path(sysconfig.get_path("scripts")),
        executable=Path(sys.executable),
        search_path=os.environ.get("PATH", ""),
        direct_url=_direct_url(),
    )
    try:
        "".join([launch.command, *launch.args]).encode()
    except UnicodeEncodeError:
        raise NoLaunchError("the path of mailmcp or of its settings is not valid UTF-8") from None
    return launch


def choose_launch(
    config: Path | None,
    *,
    prefix: Path,
    scripts: Path,
    executable: Path,
    search_path: str,
    direct_url: str | None = None,
) -> Launch:
    """Choose between the installed script, uvx, and Python with a module.

    Args:
        config: Settings file, made absolute.
        prefix: The virtual environment.
        scripts: Its folder of scripts.
        executable: Its Python.
        search_path: As in PATH.
        direct_url: Content of `direct_url.json` (PEP 610), if mailmcp was not installed from an index.
    """
    serve = ("serve", *(("--config", str(config.absolute())) if config else ()))
    if _is_in_cache(prefix):
        uvx = shutil.which("uvx", path=search_path)
        if uvx is None:
            raise NoLaunchError(
                "mailmcp runs from a temporary environment. Install it with `uv tool install mailmcp` or "
                "`pipx install mailmcp`, then run `mailmcp install` again"
            )
        source = _source(direct_url)
        wanted = ("--from", source, "mailmcp") if source else ("mailmcp",)
        return Launch(command=str(Path(uvx).absolute()), args=(*wanted, *serve))
    script = shutil.which("mailmcp", path=str(scripts))
    if script is None:
        return Launch(command=str(executable.absolute()), args=("-m", "mailmcp", *serve))
    found = shutil.which("mailmcp", path=search_path)
    is_ours = found is not None and Path(found).samefile(script)
    return Launch(command=str(Path(found if found and is_ours else script).absolute()), args=serve)


def _is_in_cache(prefix: Path) -> bool:
    """Return whether an environment is in the cache of uv or pipx; uv marks the folder, pipx names it."""
    return any((each / "CACHEDIR.TAG").exists() for each in prefix.parents) or (
        "pipx" in prefix.parts and prefix.parent.name in {".cache", "cache", "Cache"}
    )


def _direct_url() -> str | None:
    try:
        return distribution("mailmcp").read_text("direct_url.json")
    except PackageNotFoundError:
        return None


def _source(direct_url: str | None) -> str | None:
    """Return what uvx takes after `--from`: a folder, a file or an address."""
    if direct_url is None:
        return None
    origin = json.loads(direct_url)
    url: str = origin["url"]
    if url.startswith("file:"):
        return url2pathname(urlsplit(url).path)
    if "vcs_info" not in origin:
        return url
    revision = origin["vcs_info"].get("requested_revision")
    return f"{origin['vcs_info']['vcs']}+{url}" + (f"@{revision}" if revision else "")
