"""What was learned of a server that its capabilities do not say.

One object an account, kept for as long as the process lives and shared by its
sessions. Each entry names the servers that need it.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Quirks:
    """Deviations found so far; starts with none."""

    esearch_distrusted: bool = False
    """Answers to `SEARCH RETURN` were missing, or not for our tag and UIDs.

    Proton Bridge and Purelymail mislabel them: plain SEARCH is used from then on.
    """

    raw_names: dict[str, bytes] = field(default_factory=dict)
    """Mailbox names as the server writes them, where encoding the decoded name gives other octets.

    Some servers list names in raw UTF-8 or in broken modified UTF-7 (RFC 3501 section 5.1.3).
    """
