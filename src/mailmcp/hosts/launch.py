"""Chooses the command that a host starts: absolute, and such that it works after updates.

uv and pipx renew the link `~/.local/bin/mailmcp` with each update, so a link is written and not followed.
What uvx started is in uv's cache and may be gone tomorrow, so there it is `uvx` itself.
"""

import json
import shutil
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mailmcp.hosts.table import HostError, Launch


def find_launch(config: Path | None) -> Launch:
    """Return how to start this mailmcp, with a settings file if one is named.

    Raises:
        HostError: It runs from a temporary environment that nothing makes again.
    """
    serve = ("serve", *(("--config", str(config.absolute())) if config else ()))
    prefix = Path(sys.prefix)
    # uv marks its cache, pipx names the folder of `pipx run`.
    if any((each / "CACHEDIR.TAG").exists() for each in prefix.parents) or ".cache" in prefix.parts:
        uvx = shutil.which("uvx")
        if uvx is None:
            raise HostError(
                "mailmcp runs from a temporary environment. Install it with `uv tool install mailmcp` or "
                "`pipx install mailmcp`, then run `mailmcp install` again"
            )
        return Launch(command=str(Path(uvx).absolute()), args=(*_source(), "mailmcp", *serve))
    script = shutil.which("mailmcp", path=sysconfig.get_path("scripts"))
    if script is None:
        return Launch(command=sys.executable, args=("-m", "mailmcp", *serve))
    found = shutil.which("mailmcp")
    is_ours = found is not None and Path(found).samefile(script)
    return Launch(command=str(Path(found if found and is_ours else script).absolute()), args=serve)


def _source() -> tuple[str, ...]:
    """Return what uvx needs to know if mailmcp wasn't installed from an index (PEP 610)."""
    text = distribution("mailmcp").read_text("direct_url.json")
    if text is None:
        return ()
    origin = json.loads(text)
    url: str = origin["url"]
    if url.startswith("file:"):
        url = url2pathname(urlsplit(url).path)
    elif "vcs_info" in origin:
        revision = origin["vcs_info"].get("requested_revision")
        url = f"{origin['vcs_info']['vcs']}+{url}" + (f"@{revision}" if revision else "")
    return ("--from", url)
