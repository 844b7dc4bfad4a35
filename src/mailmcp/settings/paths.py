"""Where files are: the settings file by default, and the paths written in the settings."""

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

_HOME = "USERPROFILE" if os.name == "nt" else "HOME"


def default_config_path() -> Path:
    """Name the settings file in the user's own configuration folder; it need not exist."""
    # Without appauthor=False, Windows would get a folder mailmcp inside a folder mailmcp.
    return platformdirs.user_config_path("mailmcp", appauthor=False) / "config.toml"


def resolve_path(text: str, *, folder: Path, environ: Mapping[str, str]) -> Path:
    """Make a path absolute: `~` is the home folder of `environ`, and a relative path starts at `folder`."""
    first, *rest = Path(text).parts or (".",)
    home = environ.get(_HOME)
    if first == "~" and home:
        return Path(home, *rest)
    return (folder / text).absolute()
