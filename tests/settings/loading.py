"""What the tests that load settings share: an account in both forms, and the types of the fixtures."""

from collections.abc import Callable
from pathlib import Path

from mailmcp.settings.load import Settings

SECRET = "hunter2"
ENVIRON = {"MAILMCP_HOST": "imap.example.com", "MAILMCP_USER": "ann", "MAILMCP_PASSWORD": SECRET}
BARE = '[[accounts]]\naccount_id = "work"\nhost = "imap.example.com"\nuser = "ann"\n'
ACCOUNT = f'{BARE}password = "{SECRET}"\n'

Load = Callable[..., Settings]
Faults = Callable[..., list[str]]
Write = Callable[[str], Path]
