"""Loading with nothing of this machine, and an account in both forms."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mailmcp.settings.load import Settings, load_settings
from mailmcp.settings.sources import SettingsError

SECRET = "hunter2"
ENVIRON = {"MAILMCP_HOST": "imap.example.com", "MAILMCP_USER": "ann", "MAILMCP_PASSWORD": SECRET}
BARE = '[[accounts]]\naccount_id = "work"\nhost = "imap.example.com"\nuser = "ann"\n'
ACCOUNT = f'{BARE}password = "{SECRET}"\n'

Write = Callable[[str], Path]


def load(environ: dict[str, str] | None = None, config: Path | None = None) -> Settings:
    return load_settings(config, environ or {})


def faults(environ: dict[str, str] | None = None, config: Path | None = None) -> list[str]:
    """Load in vain; nothing that is told or chained holds the secret."""
    with pytest.raises(SettingsError) as caught:
        load(environ, config)
    assert SECRET not in repr(caught.value)
    assert caught.value.__context__ is None
    return list(caught.value.lines)
