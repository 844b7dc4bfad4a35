"""Who owns an account, as far as the settings say."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The person whose mail it is. Anything may be empty."""

    names: tuple[str, ...] = ()
    """The owner's names as mail has them."""

    addresses: tuple[str, ...] = ()
    """The owner's addresses. The login name is among them if it is one."""

    trusted_authserv_ids: tuple[str, ...] | None = None
    """The ids by which the owner's own mail servers sign Authentication-Results (RFC 8601 section 2.5);
    None for the usual ones, empty to trust none."""

    mail_server: str = ""
    """The IMAP server's host, which says what ids are usual."""


NOBODY: Final = Owner()
