"""A server with known mail, as the tests hold it."""

from dataclasses import dataclass

from search.known_mail import Known
from search.rules import Rules
from tools.desk import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A server with known mail in its INBOX, and a desk to ask it from."""

    desk: Desk
    known: dict[int, Known]
    """By UID."""

    rules: Rules
    sorts: bool = True
    """Whether the server has SORT; without it there is no order by size."""
