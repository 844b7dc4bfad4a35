"""What the tests that load settings share: an account in both forms, and the types of the fixtures."""

import os
from collections.abc import Callable
from pathlib import Path

from mailmcp.settings.model import Settings

HOME = "USERPROFILE" if os.name == "nt" else "HOME"
SECRET = "hunter2"
ENVIRON = {"MAILMCP_HOST": "imap.example.com", "MAILMCP_USER": "ann", "MAILMCP_PASSWORD": SECRET}
ACCOUNT = f"""
[[accounts]]
account_id = "work"
host = "imap.example.com"
user = "ann"
password = "{SECRET}"
"""

Load = Callable[..., Settings]
Faults = Callable[..., list[str]]
Write = Callable[[Path, str], Path]
