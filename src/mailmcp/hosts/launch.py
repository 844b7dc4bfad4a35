"""Chooses the command that a host starts: absolute, and such that it works after updates.

uv and pipx renew the link `~/.local/bin/mailmcp` with each update, so a link is written and not followed.
What uvx started is in uv's cache and may be gone tomorrow, so there it is `uvx` itself.
"""

import json
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
        NoLaunchError: It runs from a temporary environment that nothing makes again.
    """
    return choose_launch(
        config, prefix=Path(sys.prefix), scripts=Path(sysconfig.get_path("scripts")), direct_url=_direct_url()
    )


def choose_launch(
    config: Path | None, *, prefix: Path, scripts: Path, direct_url: str | None = None
) -> Launch:
    """Choose between the installed script, uvx, and Python with a module.

    Args:
        config: Settings file, made absolute.
        prefix: The virtual environment.
        scripts: Its folder of scripts.
        direct_url: Content of `direct_url.json` (PEP 610), if mailmcp was not installed from an index.
    """
    serve = ("serve", *(("--config", str(config.absolute())) if config else ()))
    # uv marks its cache, pipx names the folder of `pipx run`.
    if any((each / "CACHEDIR.TAG").exists() for each in prefix.parents) or ".cache" in prefix.parts:
        uvx = shutil.which("uvx")
        if uvx is None:
            raise NoLaunchError(
                "mailmcp runs from a temporary environment. Install it with `uv tool install mailmcp` or "
                "`pipx install mailmcp`, then run `mailmcp install` again"
            )
        source = ("--from", _source(direct_url)) if direct_url else ()
        return Launch(command=str(Path(uvx).absolute()), args=(*source, "mailmcp", *serve))
    script = shutil.which("mailmcp", path=str(scripts))
    if script is None:
        return Launch(command=sys.executable, args=("-m", "mailmcp", *serve))
    found = shutil.which("mailmcp")
    return Launch(
        command=str(Path(found).absolute()) if found and Path(found).samefile(script) else script, args=serve
    )


def _direct_url() -> str | None:
    try:
        return distribution("mailmcp").read_text("direct_url.json")
    except PackageNotFoundError:
        return None


def _source(direct_url: str) -> str:
    """Return what uvx takes after `--from`: a folder, a file or an address."""
    origin = json.loads(direct_url)
    url: str = origin["url"]
    if url.startswith("file:"):
        return url2pathname(urlsplit(url).path)
    if "vcs_info" not in origin:
        return url
    revision = origin["vcs_info"].get("requested_revision")
    return f"{origin['vcs_info']['vcs']}+{url}" + (f"@{revision}" if revision else "")
