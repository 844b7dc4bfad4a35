"""Fixtures of the short parts."""

from tools.conftest import dovecot_mail, pymap_mail

__all__ = ["dovecot_mail", "pymap_mail"]
